import assert from "node:assert/strict";
import { test } from "node:test";
import { accountTokens } from "../../../../tests/git-host/apis/gitea.ts";
import { hostBench, mayPush, mayRead } from "../../test-support/git-hosts.ts";

const API = "/api/v1";
const request = { repository: "acme/widget", access: "read_write", name: "berth-1" } as const;

test("Gitea: an access token by the account's password, by id and by name revoked", async (t) => {
  const { host, open } = await hostBench(t);
  host.createAccount("robot", "pass:word");
  const gitea = open({ type: "gitea", username: "robot" }, "pass:word", API);
  assert.equal(await gitea.check(), `${host.host} accepts the account 'robot'.`);
  assert.deepEqual(
    (await gitea.repositories("acme/gad", 1)).items.map(({ full_name }) => full_name),
    ["acme/gadget"],
  );
  assert.equal((await gitea.branches("acme/widget", 1)).items[0]?.name, "main");
  const made = await gitea.makeToken(request);
  assert.equal(made.expiresAt, null);
  assert.equal(await mayPush(host, "acme/widget", made.token), true);
  await gitea.revokeToken({ ...made, ...request });
  await gitea.revokeToken({ ...made, ...request });
  assert.equal(await mayRead(host, "acme/widget", made.token), false);
  const reading = await gitea.makeToken({ ...request, access: "read_only" });
  assert.equal(await mayPush(host, "acme/widget", reading.token), false);
  await gitea.revokeToken({ ...request, token: null, hostId: null });
  assert.deepEqual(accountTokens(host.tokens), []);
});

test("Gitea: a wrong password, and a repository that moved or is not there, for which no token is made", async (t) => {
  const { host, open } = await hostBench(t);
  host.createAccount("robot", "word");
  await assert.rejects(open({ type: "gitea", username: "robot" }, "other", API).check(), {
    message: `${host.host} rejects the connection's credential.`,
  });
  const gitea = open({ type: "gitea", username: "robot" }, "word", API);
  await host.moveRepository("acme/widget", "acme/gizmo");
  const moved = { message: "The repository 'acme/widget' has moved to 'acme/gizmo'." };
  await assert.rejects(gitea.makeToken(request), moved);
  await assert.rejects(gitea.branches("acme/widget", 1), moved);
  await assert.rejects(gitea.makeToken({ ...request, repository: "acme/none" }), {
    message: "The connection does not reach the repository 'acme/none'.",
  });
  assert.deepEqual(accountTokens(host.tokens), []);
});
