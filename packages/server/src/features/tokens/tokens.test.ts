// Subject: the routes of tokens, and create-token-for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callerOf, testApp, type Wire } from "../../../test-support/http.ts";
import { createTokenFor } from "./create-token-for.ts";

const absent = "tok_01h00000000000000000000000";

describe("tokens", () => {
  test("create: the secret is returned once and stored as a hash", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const made = await owner.made("/tokens", { name: "ci", expires_at: "2100-01-01T00:00:00Z" });
    assert.equal(made.last4, made.token.slice(-4));
    assert.equal(made.expires_at, "2100-01-01T00:00:00.000Z");
    const listed = await owner.get("/tokens");
    assert.equal(listed.body.data[0].id, made.id);
    assert.ok(!listed.text.includes(made.token));
    const { rows } = await db.read.query<Wire>({ text: "select * from tokens" });
    assert.ok(!JSON.stringify(rows).includes(made.token.slice(-20)));
    const late = await owner.post("/tokens", { name: "late", expires_at: "2001-01-01T00:00:00Z" });
    assert.deepEqual([late.status, late.body.error.param], [400, "expires_at"]);
  });

  test("revoke: effective at the next request, repeatable, and only for one's own tokens", async (t) => {
    const { app, caller } = await testApp(t);
    const [owner, other, admin] = await Promise.all([
      caller(),
      caller({ email: "other@example.com" }),
      caller({ email: "admin@example.com", role: "admin" }),
    ]);
    const made = await owner.made("/tokens", { name: "gone" });
    assert.equal((await other.delete(`/tokens/${made.id}`)).status, 403);
    assert.deepEqual((await owner.delete(`/tokens/${made.id}`)).body, { id: made.id, type: "token_deleted" });
    assert.equal((await callerOf(app, made.token).get("/agents")).status, 401);
    assert.equal((await owner.delete(`/tokens/${made.id}`)).status, 200);
    assert.equal((await owner.delete(`/tokens/${absent}`)).status, 404);
    assert.equal((await owner.delete("/tokens/nonsense")).status, 404);
    const second = await owner.made("/tokens", { name: "second" });
    assert.equal((await admin.delete(`/tokens/${second.id}`)).status, 200);
    const service = await admin.made("/tokens", { name: "deploys", kind: "sat" });
    assert.equal((await owner.delete(`/tokens/${service.id}`)).status, 403, "an admin's to revoke");
  });

  test("create: scopes that the creating token does not have → rejected", async (t) => {
    const { app, caller } = await testApp(t);
    const narrow = await caller({ scopes: ["tokens:write", "agents:read"] });
    assert.equal((await narrow.post("/tokens", { name: "a", scopes: ["agents:read"] })).status, 200);
    for (const body of [{ name: "b", scopes: ["agents:read", "agents:write"] }, { name: "c" }]) {
      const refused = await narrow.post("/tokens", body);
      assert.deepEqual([refused.status, refused.body.error.type], [403, "permission_error"]);
    }
    const member = await caller({ email: "member@example.com" });
    assert.equal((await member.post("/tokens", { name: "d", kind: "sat" })).status, 403);
    const admin = await caller({ email: "admin@example.com", role: "admin" });
    const [one, two] = [
      await admin.made("/tokens", { name: "d", kind: "sat" }),
      await admin.made("/tokens", { name: "d", kind: "sat" }),
    ];
    const service = callerOf(app, one.token);
    assert.equal(
      (await service.post("/tokens", { name: "e" })).status,
      403,
      "a service account makes no tokens",
    );
    const environment = await service.made("/environments", { name: "shared" });
    assert.equal(environment.owner_type, "organization");
    assert.equal((await member.get(`/environments/${environment.id}`)).status, 200);
    assert.equal((await callerOf(app, two.token).get(`/environments/${environment.id}`)).status, 200);
  });

  test("operator token: creates what is missing, and keeps existing roles and organizations", async (t) => {
    const { db } = await testApp(t);
    const email = "new@example.com";
    const secrets = await Promise.all(
      [1, 2, 3].map(() => createTokenFor({ db, email, org: "acme", role: "admin" })),
    );
    assert.equal(new Set(secrets).size, 3);
    await createTokenFor({
      db,
      email,
      org: "acme",
      kind: "sat",
      scopes: ["agents:read"],
      expiresInSeconds: 60,
    });
    const count = async (table: string) =>
      (await db.read.query<Wire>({ text: `select count(*) as n from ${table}` })).rows[0].n;
    assert.deepEqual(
      [
        await count("organizations"),
        await count("users"),
        await count("service_accounts"),
        await count("tokens"),
      ],
      [1, 1, 1, 4],
    );
    assert.equal((await db.read.query<Wire>({ text: "select role from users" })).rows[0].role, "admin");
    await assert.rejects(createTokenFor({ db, email, org: "other" }), /another organization/);
    await createTokenFor({ db, email });
    const { rows: homes } = await db.read.query<Wire>({
      text: "select distinct o.name from tokens t join organizations o on o.id = t.organization_id",
    });
    assert.deepEqual(homes, [{ name: "acme" }], "without a name, the user's own organization");
    assert.equal(await count("organizations"), 1, "nothing is left of what failed");
  });
});
