import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionAuth, PullRequest } from "@berth/contract";
import { type HostBench, hostBench } from "../../test-support/git-hosts.ts";
import { SESSION_TOKEN } from "./ask-host.ts";
import type { GitHost } from "./git-host.ts";
import type { PullRequestQuestion } from "./pull-requests.ts";

const PATHS = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1", bitbucket: "/2.0" } as const;
const PAGES = {
  ...{ github: "pull", gitlab: "-/merge_requests", gitea: "pulls", bitbucket: "pull-requests" },
} as const;
const APIS = ["github", "gitlab", "gitea", "bitbucket"] as const;
type ApiName = (typeof APIS)[number];

const BRANCH = "agent/fix";
const START = new Date();
const ASKED: PullRequestQuestion = {
  ...{ repository: "acme/widget", branches: [BRANCH], since: START, known: [], token: null },
};

function opened({ open, host }: HostBench, api: ApiName, options = {}): GitHost {
  const token = host.createToken({ user: "robot", permissions: "write", ...options });
  return open({ type: "token", api, username: null }, token, PATHS[api]);
}

function openPull({ host }: HostBench, title: string, head = BRANCH, draft = false) {
  const project = host.project("acme", "widget");
  const fields = {
    title,
    body: "",
    draft,
    head,
    base: "main",
    headOid: title.length.toString(16).repeat(40).slice(0, 40),
  };
  return { project, pull: project.openPullRequest({ user: "robot" }, fields) };
}

async function only(host: GitHost, asked: Partial<PullRequestQuestion> = {}): Promise<PullRequest> {
  const { pullRequests, missing } = await host.pullRequests({ ...ASKED, ...asked });
  assert.equal(missing, null);
  const [one, ...more] = pullRequests;
  assert.ok(one !== undefined);
  assert.deepEqual(more, []);
  return one;
}

for (const api of APIS) {
  test(`pull requests by the API of ${api}: open, a draft, merged and closed, with checks and reviews`, async (t) => {
    const bench = await hostBench(t);
    const host = opened(bench, api);
    assert.deepEqual(await host.pullRequests(ASKED), { pullRequests: [], missing: null });

    openPull(bench, "Of another branch", "other");
    openPull(bench, "Of a fork").pull.fromFork = true;
    const { project, pull } = openPull(bench, "Fix the\ngreeting");
    const first = await only(host);
    const none = { total: 0, pending_count: 0, failed_count: 0, failed: [] };
    const isMergeableKnown = api !== "bitbucket";
    assert.deepEqual(first, {
      ...{
        type: "pull_request",
        number: 3,
        title: "Fix the greeting",
        state: "open",
        head: BRANCH,
        base: "main",
      },
      url: `${bench.host.url}/acme/widget/${PAGES[api]}/3`,
      mergeable: isMergeableKnown ? true : null,
      checks: { state: "none", ...none },
      reviews: { state: "none", reviews: [] },
      updated_at: first.updated_at,
    });
    assert.ok(Math.abs(Date.parse(first.updated_at) - pull.updatedAt.getTime()) < 1_000);

    project.change(3, { draft: true, mergeable: false });
    const draft = await only(host);
    assert.deepEqual([draft.state, draft.mergeable], ["draft", isMergeableKnown ? false : null]);
    project.change(3, { draft: false, mergeable: null });
    assert.equal((await only(host)).mergeable, null);

    const inside = `${bench.host.url}/acme/widget/runs/1`;
    pull.checks = [
      { name: "lint", state: "success", by: "run" },
      { name: "build", state: "pending", by: "status" },
    ];
    assert.deepEqual((await only(host)).checks, { ...none, state: "pending", total: 2, pending_count: 1 });
    pull.checks.push(
      { name: "test\n(linux)", state: "failure", by: "run", url: inside },
      { name: "outside", state: "failure", by: "status", url: "https://ci.example.com/1" },
      { name: "script", state: "failure", by: "status", url: "javascript:alert(1)" },
    );
    const { checks } = await only(host);
    assert.deepEqual(
      { ...checks, failed: checks.failed.toSorted((a, b) => a.name.localeCompare(b.name)) },
      {
        ...{ state: "failing", total: 5, pending_count: 1, failed_count: 3 },
        failed: [
          { name: "outside", url: null },
          { name: "script", url: null },
          { name: "test (linux)", url: inside },
        ],
      },
    );
    pull.checks = [{ name: "all", state: "success", by: "run" }];
    assert.equal((await only(host)).checks.state, "passing");

    pull.awaited = ["ann"];
    assert.deepEqual((await only(host)).reviews, { state: "pending", reviews: [] });
    pull.awaited = [];
    const at = new Date(1_790_000_000_000);
    pull.reviews = [{ author: "ann", state: "changes_requested", at }];
    const requested = (await only(host)).reviews;
    assert.equal(requested.state, "changes_requested");
    assert.deepEqual(requested.reviews, [
      {
        ...{ author: "ann", state: "changes_requested" },
        submitted_at: api === "gitlab" ? null : at.toISOString(),
      },
    ]);
    pull.reviews = [{ author: "ann", state: "approved", at }];
    assert.equal((await only(host)).reviews.state, "approved");

    project.change(3, { state: "MERGED" });
    const merged = await only(host);
    assert.deepEqual([merged.state, merged.checks.state], ["merged", "passing"]);
    const before = bench.asked();
    assert.deepEqual(await only(host, { known: [merged] }), merged);
    assert.equal(bench.asked() - before, 1, "what does not change is not asked for again");
    project.change(3, { state: "CLOSED" });
    assert.equal((await only(host)).state, "closed");
    const later = new Date(Date.now() + 60_000);
    assert.deepEqual((await host.pullRequests({ ...ASKED, since: later })).pullRequests, []);
  });

  test(`pull requests by the API of ${api}: each fault is one sentence without the host's text`, async (t) => {
    const bench = await hostBench(t);
    const { host: server } = bench;
    openPull(bench, "One");
    const host = opened(bench, api);
    await assert.rejects(host.pullRequests({ ...ASKED, repository: "acme/none" }), {
      message: "The connection does not reach the repository 'acme/none'.",
    });
    bench.failWith(500);
    await assert.rejects(host.pullRequests(ASKED), { message: `${server.host} answered with status 500.` });
    const reset = `${Math.ceil(Date.now() / 1_000) + 120}`;
    for (const [status, headers] of [
      [429, { "retry-after": "120" }],
      [429, { "retry-after": new Date(Date.now() + 120_000).toUTCString() }],
      [429, { "ratelimit-reset": reset }],
      [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }],
    ] as const) {
      bench.failWith(status, headers);
      await assert.rejects(host.pullRequests(ASKED), (error: Error & { fault: { retryAfterMs: number } }) => {
        assert.equal(error.message, `${server.host} takes no more requests for now.`);
        assert.ok(error.fault.retryAfterMs > 110_000 && error.fault.retryAfterMs <= 121_000);
        return true;
      });
    }
    bench.failWith(401);
    await assert.rejects(host.pullRequests(ASKED), {
      message: `${server.host} rejects the connection's credential.`,
    });
    bench.failWith(null);
    if (api === "bitbucket") return;
    await server.moveRepository("acme/widget", "acme/gizmo");
    await assert.rejects(host.pullRequests(ASKED), {
      message: "The repository 'acme/widget' has moved to 'acme/gizmo'.",
    });
  });
}

test("pull requests: long texts are cut, and of many the newest are read", async (t) => {
  const bench = await hostBench(t);
  const host = opened(bench, "gitlab");
  for (let at = 0; at < 12; at++) openPull(bench, `${at} ${"x".repeat(400)}`);
  const { pullRequests } = await host.pullRequests(ASKED);
  assert.deepEqual(
    pullRequests.map(({ number }) => number),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  );
  assert.equal(pullRequests[0]?.title.length, 300);
});

test("GitHub: checks that a token may not read are said to be missing, and the rest is read", async (t) => {
  const bench = await hostBench(t);
  const { pull } = openPull(bench, "One");
  pull.checks = [{ name: "test", state: "failure", by: "run" }];
  const blind = opened(bench, "github", { checks: { runs: false, statuses: false } });
  const { pullRequests, missing } = await blind.pullRequests(ASKED);
  assert.equal(
    missing,
    `${bench.host.host} does not let the credential read checks, which needs 'Checks: read' and 'Commit statuses: read'.`,
  );
  assert.deepEqual([pullRequests[0]?.state, pullRequests[0]?.checks.state], ["open", "unknown"]);
  const none = opened(bench, "github", { pullRequests: "none" });
  await assert.rejects(none.pullRequests(ASKED), {
    message: `${bench.host.host} does not allow this to the connection's credential.`,
  });
});

test("GitHub App: the session's token asks while it is valid, and else one for reading that is revoked", async (t) => {
  const bench = await hostBench(t);
  openPull(bench, "One");
  const { apps } = bench.host;
  const app = apps.create();
  const auth = (installation_id: string): ConnectionAuth => ({
    ...{ type: "github_app", app_id: app.id, installation_id },
  });
  const host = bench.open(auth(apps.install({ app, account: "acme" })), app.privateKey, PATHS.github);
  await only(host);
  const [own] = apps.minted;
  assert.deepEqual(own?.repositories, ["acme/widget"]);
  assert.deepEqual(own.permissions, {
    ...{ metadata: "read", pull_requests: "read", checks: "read", statuses: "read" },
  });
  assert.equal(own.revoked, true);

  const { token } = await host.makeToken({ repository: "acme/widget", access: "read_write", name: "x" });
  const count = apps.minted.length;
  await only(host, { token });
  assert.equal(apps.minted.length, count, "the session's token is used");
  apps.revoke(token);
  await only(host, { token });
  assert.deepEqual([apps.minted.length, apps.minted.at(-1)?.revoked], [count + 1, true]);

  const permissions = { contents: "write", metadata: "read", pull_requests: "read" } as const;
  const few = bench.open(
    auth(apps.install({ app, account: "acme", permissions })),
    app.privateKey,
    PATHS.github,
  );
  const { pullRequests, missing } = await few.pullRequests(ASKED);
  assert.match(missing ?? "", /'Checks: read'/);
  assert.equal(pullRequests[0]?.checks.state, "unknown");
  const weak = await few.makeToken({ repository: "acme/widget", access: "read_write", name: "y" });
  const again = await few.pullRequests({ ...ASKED, token: weak.token });
  assert.equal(again.pullRequests[0]?.state, "open", "a token without the permission is not all there is");
  const without = apps.install({
    app,
    account: "acme",
    permissions: { contents: "write", metadata: "read" },
  });
  await assert.rejects(bench.open(auth(without), app.privateKey, PATHS.github).pullRequests(ASKED), {
    message: "The app's installation for 'acme' does not grant 'Pull requests: read'.",
  });
  apps.uninstall(without);
  await assert.rejects(bench.open(auth(without), app.privateKey, PATHS.github).pullRequests(ASKED), {
    message: `The app's installation ${without} is gone from ${bench.host.host}, or never was there.`,
  });
});

test("a token that a session was given is named so", async (t) => {
  const bench = await hostBench(t);
  const asked = (secret: string) =>
    bench.open({ type: "token", api: "github", username: null }, secret, PATHS.github, SESSION_TOKEN);
  await assert.rejects(asked("wrong").pullRequests(ASKED), {
    message: `${bench.host.host} rejects the session's token.`,
  });
  const elsewhere = bench.host.createToken({ user: "robot", permissions: "write", repositories: [] });
  await assert.rejects(asked(elsewhere).pullRequests(ASKED), {
    message: "The session's token does not reach the repository 'acme/widget'.",
  });
  const unknown = bench.open({ type: "token", api: null, username: null }, "x", null, SESSION_TOKEN);
  await assert.rejects(unknown.pullRequests(ASKED), {
    message: `Nothing says by which API ${bench.host.host} is asked for pull requests: a connection with its API does.`,
  });
});
