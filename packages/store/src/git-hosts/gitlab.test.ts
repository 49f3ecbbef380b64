import assert from "node:assert/strict";
import { test } from "node:test";
import { projectTokens } from "../../../../tests/git-host/apis/gitlab.ts";
import { hostBench, mayPush, mayRead } from "../../test-support/git-hosts.ts";

const API = "/api/v4";
const request = { repository: "acme/widget", access: "read_write", name: "berth-1" } as const;

test("GitLab: a project access token for one repository, by id and by name revoked", async (t) => {
  const { host, open } = await hostBench(t);
  const secret = host.createToken({ user: "robot", permissions: "write" });
  const gitlab = open({ type: "gitlab" }, secret, API);
  assert.equal(await gitlab.check(), `${host.host} accepts the token 'robot-token'.`);
  assert.deepEqual(
    (await gitlab.repositories("WIDG", 1)).items.map(({ full_name }) => full_name),
    ["acme/widget"],
  );
  assert.equal((await gitlab.branches("acme/widget", 1)).items[0]?.name, "main");
  const made = await gitlab.makeToken(request);
  const days = ((made.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
  assert.ok(days > 1 && days <= 2, `${days}`);
  assert.deepEqual(
    [await mayPush(host, "acme/widget", made.token), await mayRead(host, "acme/gadget", made.token)],
    [true, false],
  );
  await gitlab.revokeToken({ ...made, ...request });
  await gitlab.revokeToken({ ...made, ...request });
  assert.equal(await mayRead(host, "acme/widget", made.token), false);

  const reading = await gitlab.makeToken({ ...request, access: "read_only", name: "berth-2" });
  assert.equal(await mayPush(host, "acme/widget", reading.token), false);
  await gitlab.revokeToken({ repository: "acme/widget", name: "berth-2", token: null, hostId: null });
  assert.deepEqual(projectTokens(host.tokens), []);
  await gitlab.revokeToken({ repository: "acme/widget", name: "berth-3", token: null, hostId: null });
});

test("GitLab: a token without its scope, a repository that moved or is not there, and a wrong token", async (t) => {
  const { host, open } = await hostBench(t);
  const weak = host.createToken({ user: "robot", permissions: "write", scopes: ["read_api"] });
  const lacking = open({ type: "gitlab" }, weak, API);
  await assert.rejects(lacking.check(), {
    message: `The token at ${host.host} does not have the scope 'api'.`,
  });
  await assert.rejects(lacking.makeToken(request), {
    message: `${host.host} does not let the connection make access tokens for 'acme/widget'.`,
  });
  const gitlab = open({ type: "gitlab" }, host.createToken({ user: "robot", permissions: "write" }), API);
  await host.moveRepository("acme/widget", "acme/gizmo");
  const moved = { message: "The repository 'acme/widget' has moved to 'acme/gizmo'." };
  await assert.rejects(gitlab.makeToken(request), moved);
  await assert.rejects(gitlab.branches("acme/widget", 1), moved);
  const missing = { message: "The connection does not reach the repository 'acme/none'." };
  await assert.rejects(gitlab.makeToken({ ...request, repository: "acme/none" }), missing);
  await assert.rejects(gitlab.branches("acme/none", 1), missing);
  await assert.rejects(open({ type: "gitlab" }, "wrong", API).check(), {
    message: `${host.host} rejects the connection's credential.`,
  });
});
