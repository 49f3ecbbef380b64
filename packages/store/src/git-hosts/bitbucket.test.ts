import assert from "node:assert/strict";
import { test } from "node:test";
import { hostBench } from "../../test-support/git-hosts.ts";

test("Bitbucket: the workspace's repositories and branches, and its own token for sessions", async (t) => {
  const { host, open } = await hostBench(t);
  const secret = host.createToken({ user: "robot", permissions: "write" });
  const bitbucket = open({ type: "bitbucket", workspace: "acme" }, secret, "/2.0");
  assert.equal(await bitbucket.check(), `${host.host} accepts the token for the workspace 'acme'.`);
  assert.deepEqual(
    (await bitbucket.repositories(null, 1)).items.map(({ full_name }) => full_name),
    ["acme/widget", "acme/gadget"],
  );
  assert.deepEqual(
    (await bitbucket.repositories('gad"', 1)).items.map(({ full_name }) => full_name),
    ["acme/gadget"],
  );
  const { items } = await bitbucket.branches("acme/widget", 1);
  assert.deepEqual(items, [{ name: "main", sha: await host.head("acme", "widget", "main") }]);
  const made = await bitbucket.makeToken({ repository: "acme/widget", access: "read_write", name: "one" });
  assert.deepEqual(made, { token: secret, expiresAt: null, hostId: null, isOwn: false });
  await bitbucket.revokeToken({ ...made, repository: "acme/widget", name: "one" });
  assert.ok(await bitbucket.check(), "the connection's token is not revoked");
});
