import assert from "node:assert/strict";
import { test } from "node:test";
import { membershipOf } from "./membership.ts";

const mapping = [
  { value: "admins", organization: "acme", role: "admin" },
  { value: "staff", organization: "acme", role: "member" },
  { value: "7", organization: "seven", role: "member" },
] as const;
const of = (claims: Record<string, unknown>, claim = "groups") => membershipOf(claims, { claim, mapping });

test("membership: the first value of the mapping that the claim has, whatever its order", () => {
  assert.deepEqual(of({ groups: ["staff", "admins"] }), { organization: "acme", role: "admin" });
  assert.deepEqual(of({ groups: "staff" }), { organization: "acme", role: "member" });
  assert.deepEqual(of({ groups: [7] }), { organization: "seven", role: "member" });
});

test("membership: none without a value of the mapping", () => {
  for (const groups of [undefined, null, [], ["staf"], "admins staff", [["admins"]], { admins: true }])
    assert.equal(of({ groups }), null, JSON.stringify(groups));
});

test("membership: a dot in the claim leads into an object, unless a claim has that name", () => {
  const roles = { realm_access: { roles: ["staff"] } };
  assert.equal(of(roles, "realm_access.roles")?.role, "member");
  assert.equal(of({ ...roles, "realm_access.roles": "admins" }, "realm_access.roles")?.role, "admin");
  assert.equal(of({ "https://x.example/groups": "admins" }, "https://x.example/groups")?.role, "admin");
  for (const claim of ["realm_access.none", "a.b", "constructor.name", "__proto__"])
    assert.equal(of(roles, claim), null);
});
