import assert from "node:assert/strict";
import { Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

covers(["whoami"], "whoami: a user, with a token that may do little", async () => {
  const expires_at = "2100-01-01T00:00:00.000Z";
  const made = await api.ok("POST", "/tokens", { name: "narrow", scopes: ["files:read"], expires_at });
  const { principal, organization, ...rest } = await new Api(berth.url, made.token).ok("GET", "/whoami");
  assert.match(principal.id, /^usr_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(organization.id, /^org_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.deepEqual(
    [principal.type, principal.name, organization.name],
    ["user", berth.nameOf("owner@example.com"), berth.organization],
  );
  assert.deepEqual(rest, {
    ...{ type: "whoami", role: "member", admins: [], scopes: ["files:read"], signed_in_by: "token" },
    ...{ token_id: made.id, token_name: "narrow", expires_at },
  });
});

covers(["whoami"], "whoami: an admin, a service account, and nobody", async () => {
  const admin = await berth.client({ user: "admin@example.com", role: "admin", org: "acme" });
  const { role, organization, scopes, admins } = await admin.ok("GET", "/whoami");
  assert.deepEqual([role, organization.name, scopes], ["admin", berth.nameOf("acme"), ["*"]]);
  assert.deepEqual(admins, [berth.nameOf("admin@example.com")]);
  const robot = await berth.client({ kind: "sat", user: "robot@example.com" });
  const { principal, expires_at, ...own } = await robot.ok("GET", "/whoami");
  assert.match(principal.id, /^svc_/);
  assert.deepEqual(
    [principal.type, principal.name, own.role, expires_at],
    ["service_account", berth.nameOf("robot@example.com"), "member", null],
  );
  assertError(await new Api(berth.url, "berth_pat_wrong").get("/whoami"), 401, "authentication_error");
});
