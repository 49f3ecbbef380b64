import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostBench, hostBench } from "../../test-support/git-hosts.ts";
import type { GitHost } from "./git-host.ts";
import { GitHostError } from "./git-host-error.ts";
import { failedChecks, type PullConversation } from "./pull-conversation.ts";

const PATHS = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1", bitbucket: "/2.0" } as const;
const APIS = ["github", "gitlab", "gitea", "bitbucket"] as const;
const NAME = "acme/widget";

function opened({ open, host }: HostBench, api: (typeof APIS)[number], options = {}): GitHost {
  const token = host.createToken({ user: "robot", permissions: "write", ...options });
  return open({ type: "token", api, username: null }, token, PATHS[api]);
}

function openPull({ host }: HostBench) {
  const project = host.project("acme", "widget");
  const fields = { title: "Fix", body: "", draft: false, head: "agent/fix", base: "main" };
  const pull = project.openPullRequest({ user: "robot" }, { ...fields, headOid: "a".repeat(40) });
  project.rights.set("ann", "write").set("bob", "read");
  return { project, pull };
}

async function only(pulls: PullConversation) {
  const [pull] = await pulls.list(NAME, "agent/fix");
  assert.ok(pull !== undefined);
  return pull;
}

for (const api of APIS) {
  test(`the conversation of a pull request by the API of ${api}: read, and answered`, async (t) => {
    const bench = await hostBench(t);
    const { project, pull } = openPull(bench);
    const at = new Date(1_790_000_000_000);
    pull.reviews = [{ author: "ann", state: "changes_requested", at, body: "Not yet." }];
    const line = project.commentLine(1, { author: "bob", body: "Why?", at: new Date(1_790_000_001_000) });
    pull.comments.push({ author: "ann", body: "On the whole.", at: new Date(1_790_000_002_000) });
    await opened(bench, api).converse(NAME, async (pulls) => {
      const found = await only(pulls);
      const comments = await pulls.comments(NAME, found);
      const said = comments.filter(({ text }) => text !== "");
      assert.deepEqual(
        said.map(({ author, text, place }) => [author.name, text, place]),
        [
          ["ann", "Not yet.", null],
          ["bob", "Why?", "README.md:1"],
          ["ann", "On the whole.", null],
        ],
      );
      assert.deepEqual(
        comments.filter(({ requestsChanges }) => requestsChanges).map(({ author }) => author.name),
        ["ann"],
      );
      assert.equal(new Set(comments.map(({ key }) => key)).size, comments.length);
      const rights = await Promise.all(
        ["ann", "bob", "eve"].map((id) => pulls.mayWrite(NAME, { name: id, id, isBot: false })),
      );
      assert.deepEqual(rights, [true, false, false]);
      assert.equal(await pulls.account(), "robot");

      await pulls.comment(NAME, found, "Hello.");
      const thread = said[1]?.thread ?? null;
      assert.equal(thread === null, api === "gitea");
      if (thread !== null) await pulls.reply(NAME, found, thread, "Because.");
      assert.deepEqual(pull.comments.at(-1)?.body, "Hello.");
      const answers = pull.lines.filter(({ answers: to }) => to === line.id);
      assert.deepEqual(
        answers.map(({ author, body }) => [author, body]),
        thread === null ? [] : [["robot", "Because."]],
      );
      const own = (await pulls.comments(NAME, found)).filter(({ author }) => author.id === "robot");
      assert.equal(own.length, thread === null ? 1 : 2);
    });
  });

  test(`why a check failed by the API of ${api}: its log, or what it says`, async (t) => {
    const bench = await hostBench(t);
    const { pull } = openPull(bench);
    pull.checks = [
      { name: "test", by: "run", state: "failure", log: "1 test ran\nIt failed." },
      { name: "scan", by: "status", state: "failure", summary: "2 findings" },
      { name: "lint", by: "run", state: "success", log: "fine" },
    ];
    await opened(bench, api).converse(NAME, async (pulls) => {
      const found = await only(pulls);
      const failed = failedChecks(await pulls.details(NAME, found));
      const [run, status] = ["test", "scan"].map((part) => failed.find(({ name }) => name.includes(part)));
      assert.ok(run !== undefined && status !== undefined);
      assert.equal(await pulls.log(NAME, found, run), "1 test ran\nIt failed.");
      assert.equal(await pulls.log(NAME, found, status), null);
      assert.equal(status.summary, "2 findings");
    });
  });

  test(`a token that may only read, by the API of ${api}: what it may not do is one sentence`, async (t) => {
    const bench = await hostBench(t);
    openPull(bench);
    const reading = opened(bench, api, { permissions: "read", scopes: ["read_api"] });
    const commented = reading.converse(NAME, async (pulls) => {
      await pulls.comment(NAME, await only(pulls), "Hello.");
    });
    await assert.rejects(
      commented,
      (error) => error instanceof GitHostError && error.fault.kind === "forbidden",
    );
  });
}

test("the log of a job of GitHub Actions: the lines of the step that failed", async (t) => {
  const bench = await hostBench(t);
  const { pull } = openPull(bench);
  const log = [
    "2026-09-01T10:00:00.1234567Z Setting up",
    "2026-09-01T10:00:02.0000000Z Running",
    "a second line",
    "2026-09-01T10:00:04.9000000Z ##[error]Process completed with exit code 1.",
    "2026-09-01T10:00:07.0000000Z Cleaning up",
  ].join("\n");
  const step = { started_at: "2026-09-01T10:00:02Z", completed_at: "2026-09-01T10:00:04Z" };
  pull.checks = [{ name: "test", by: "run", state: "failure", log, step }];
  await opened(bench, "github").converse(NAME, async (pulls) => {
    const found = await only(pulls);
    const [failed] = failedChecks(await pulls.details(NAME, found));
    assert.ok(failed !== undefined);
    assert.equal(await pulls.log(NAME, found, failed), log.split("\n").slice(1, 4).join("\n"));
  });
});
