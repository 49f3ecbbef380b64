import assert from "node:assert/strict";
import { test } from "node:test";
import { hostBench, mayPush, mayRead } from "../../test-support/git-hosts.ts";
import { GitHostError } from "./git-host-error.ts";

const API = "/api/v3";
const failure = (message: string, kind: string) => (error: unknown) => {
  assert.ok(error instanceof GitHostError);
  assert.deepEqual([error.message, error.fault.kind], [message, kind]);
  return true;
};

test("GitHub App: accepted, listed, and a token for one repository with its permissions", async (t) => {
  const { host, open } = await hostBench(t);
  const app = host.apps.create();
  const installation_id = host.apps.install({ app, account: "acme" });
  const github = open({ type: "github_app", app_id: app.id, installation_id }, app.privateKey, API);
  assert.equal(await github.check(), `${host.host} accepts the app, which is installed for 'acme'.`);
  const { items, next } = await github.repositories(null, 1);
  assert.deepEqual(
    items.map(({ full_name }) => full_name),
    ["acme/widget", "acme/gadget"],
  );
  assert.deepEqual(items[0], {
    ...{ full_name: "acme/widget", url: `${host.url}/acme/widget`, default_branch: "main", private: true },
  });
  assert.equal(next, null);
  const branches = await github.branches("acme/widget", 1);
  assert.deepEqual(branches.items, [{ name: "main", sha: await host.head("acme", "widget", "main") }]);
  assert.ok(
    host.apps.minted.every(({ revoked }) => revoked),
    "what a list needed is revoked",
  );

  host.apps.tokenSeconds = 60;
  const before = Date.now();
  const made = await github.makeToken({ repository: "acme/widget", access: "read_write", name: "one" });
  const seconds = ((made.expiresAt?.getTime() ?? 0) - before) / 1_000;
  assert.ok(seconds > 57 && seconds <= 61, `${seconds}`);
  assert.deepEqual(host.apps.minted.at(-1)?.permissions, {
    ...{ contents: "write", metadata: "read", pull_requests: "write", issues: "write" },
    ...{ checks: "read", statuses: "read", actions: "read" },
  });
  assert.deepEqual(
    [await mayPush(host, "acme/widget", made.token), await mayRead(host, "acme/gadget", made.token)],
    [true, false],
  );
  const reading = await github.makeToken({ repository: "acme/gadget", access: "read_only", name: "two" });
  assert.deepEqual(
    [await mayRead(host, "acme/gadget", reading.token), await mayPush(host, "acme/gadget", reading.token)],
    [true, false],
  );
  const revoked = { ...made, repository: "acme/widget", name: "one" };
  await github.revokeToken(revoked);
  await github.revokeToken(revoked);
  assert.equal(await mayRead(host, "acme/widget", made.token), false);
});

test("GitHub App: fewer permissions than an agent can need, and none for contents", async (t) => {
  const { host, open } = await hostBench(t);
  const app = host.apps.create();
  const install = (permissions: Record<string, "read" | "write">) =>
    open(
      {
        ...{ type: "github_app", app_id: app.id },
        installation_id: host.apps.install({ app, account: "acme", permissions }),
      },
      app.privateKey,
      API,
    );
  const request = { repository: "acme/widget", access: "read_write", name: "one" } as const;
  await install({ contents: "write", metadata: "read", issues: "read" }).makeToken(request);
  assert.deepEqual(host.apps.minted.at(-1)?.permissions, { contents: "write", metadata: "read" });
  await assert.rejects(
    install({ contents: "read", metadata: "read" }).makeToken(request),
    failure("The app's installation for 'acme' does not grant 'Contents: read and write'.", "forbidden"),
  );
});

test("GitHub App: a wrong key, a wrong app, and an installation that is gone or suspended", async (t) => {
  const { host, open } = await hostBench(t);
  const [app, other] = [host.apps.create(), host.apps.create()];
  const installation_id = host.apps.install({ app, account: "acme" });
  const request = { repository: "acme/widget", access: "read_write", name: "one" } as const;
  const auth = { type: "github_app", app_id: app.id, installation_id } as const;
  const rejected = `${host.host} rejects the app's id or its private key.`;
  const wrong = open(auth, other.privateKey, API);
  await assert.rejects(wrong.check(), failure(rejected, "authentication"));
  await assert.rejects(wrong.makeToken(request), failure(rejected, "authentication"));
  await assert.rejects(wrong.repositories(null, 1), failure(rejected, "authentication"));
  const gone = `The app's installation ${installation_id} is gone from ${host.host}, or never was there.`;
  await assert.rejects(
    open({ ...auth, app_id: other.id }, other.privateKey, API).check(),
    failure(gone, "not_found"),
  );
  const github = open(auth, app.privateKey, API);
  host.apps.suspend(installation_id);
  await assert.rejects(
    github.check(),
    failure("The app's installation for 'acme' is suspended.", "forbidden"),
  );
  await assert.rejects(
    github.makeToken(request),
    failure(`The app's installation ${installation_id} is suspended at ${host.host}.`, "forbidden"),
  );
  host.apps.uninstall(installation_id);
  await assert.rejects(github.check(), failure(gone, "not_found"));
  await assert.rejects(github.makeToken(request), failure(gone, "not_found"));
});

test("GitHub App: a repository that moved, is not selected, or is another account's", async (t) => {
  const { host, open } = await hostBench(t);
  const app = host.apps.create();
  const installation_id = host.apps.install({ app, account: "acme" });
  const github = open({ type: "github_app", app_id: app.id, installation_id }, app.privateKey, API);
  const makeFor = (repository: string) => github.makeToken({ repository, access: "read_write", name: "one" });
  await host.moveRepository("acme/widget", "acme/gizmo");
  const moved = failure("The repository 'acme/widget' has moved to 'acme/gizmo'.", "not_found");
  await assert.rejects(makeFor("acme/widget"), moved);
  await assert.rejects(github.branches("acme/widget", 1), moved);
  const missing = (name: string) =>
    failure(`The connection does not reach the repository '${name}'.`, "not_found");
  await assert.rejects(makeFor("acme/none"), missing("acme/none"));
  await assert.rejects(github.branches("acme/none", 1), missing("acme/none"));
  await assert.rejects(
    makeFor("other/lib"),
    failure("The app is installed for 'acme', which does not have the repository 'other/lib'.", "not_found"),
  );
  for (const name of ["acme/..", "../user", "acme/./x"])
    await assert.rejects(
      github.branches(name, 1),
      failure(`'${name}' is not the name of a repository.`, "not_found"),
    );
  assert.ok(
    host.apps.minted.every(({ revoked }) => revoked),
    "no token is left of what failed",
  );
});

test("GitHub: a host that fails, limits, or cannot be reached is temporary, and nothing of its text is told", async (t) => {
  const { host, open, failWith } = await hostBench(t);
  const app = host.apps.create();
  const installation_id = host.apps.install({ app, account: "acme" });
  const github = open({ type: "github_app", app_id: app.id, installation_id }, app.privateKey, API);
  const request = { repository: "acme/widget", access: "read_write", name: "one" } as const;
  const faultOf = async () => {
    const error = await github.makeToken(request).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof GitHostError);
    return [error.message, error.fault.transient, error.fault.retryAfterMs];
  };
  failWith(500);
  assert.deepEqual(await faultOf(), [`${host.host} answered with status 500.`, true, null]);
  failWith(429, { "retry-after": "7" });
  assert.deepEqual(await faultOf(), [`${host.host} takes no more requests for now.`, true, 7_000]);
  failWith(403, { "x-ratelimit-remaining": "0" });
  assert.deepEqual(await faultOf(), [`${host.host} takes no more requests for now.`, true, null]);
  failWith(200);
  assert.deepEqual((await faultOf())[0], `${host.host} answered with something that is not its API's.`);
  failWith(null);
  await host.stop();
  assert.deepEqual((await faultOf()).slice(0, 2), [`${host.host} could not be reached.`, true]);
});
