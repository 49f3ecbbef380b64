// Subject: the route of whoami.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testApp } from "../../../test-support/http.ts";

test("whoami: a user, in the role and with the scopes of the request", async (t) => {
  const { caller } = await testApp(t);
  const ada = await caller({ email: "ada@example.com", org: "acme", role: "admin", scopes: ["files:read"] });
  const { status, body } = await ada.get("/whoami");
  const token = (await ada.get("/tokens/current")).body;
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        type: "whoami",
        principal: { id: token.user.id, type: "user", name: "ada@example.com" },
        organization: token.organization,
        role: "admin",
        admins: ["ada@example.com"],
        scopes: ["files:read"],
        signed_in_by: "token",
        ...{ token_id: token.id, token_name: token.name, expires_at: null },
      },
    ],
  );
});

test("whoami: a service account is a member; a token that expires says when", async (t) => {
  const { caller } = await testApp(t);
  const robot = (await (await caller({ email: "robot", kind: "sat" })).get("/whoami")).body;
  assert.deepEqual(
    [robot.principal.type, robot.principal.name, robot.role, robot.admins],
    ["service_account", "robot", "member", []],
  );
  assert.match(robot.principal.id, /^svc_/);
  const owner = await caller();
  const expires_at = "2100-01-01T00:00:00.000Z";
  const { token } = await owner.made("/tokens", { name: "short", expires_at });
  const { body } = await owner.get("/whoami", { authorization: `Bearer ${token}` });
  assert.deepEqual([body.token_name, body.expires_at], ["short", expires_at]);
});
