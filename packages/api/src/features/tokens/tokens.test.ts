// Subject: the routes of tokens, and create-token-for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatId } from "@berth/contract";
import { callerOf, testApp, type Wire } from "../../../test-support/http.ts";
import { issueToken } from "./create-token.ts";
import { createTokenFor, type TokenFor } from "./create-token-for.ts";
import { lockParent, type TokenRow } from "./token-store.ts";

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
    assert.deepEqual((await owner.delete(`/tokens/${made.id}`)).body, {
      id: made.id,
      type: "token_deleted",
      revoked_descendants: [],
    });
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

  test("child: expires with its parent at the latest, unless an admin makes it independent", async (t) => {
    const { app, caller } = await testApp(t);
    const admin = await caller({ role: "admin", expiresInSeconds: 3_600 });
    const [{ id: parent_id, expires_at }] = (await admin.get("/tokens")).body.data;
    for (const given of [{}, { expires_at: null }, { expires_at }]) {
      const child = await admin.made("/tokens", { name: "child", ...given });
      assert.deepEqual(
        [child.parent_id, child.independent, child.expires_at],
        [parent_id, false, expires_at],
      );
    }
    const late = await admin.post("/tokens", { name: "late", expires_at: "2100-01-01T00:00:00Z" });
    assert.deepEqual([late.status, late.body.error.param], [400, "expires_at"]);
    const free = await admin.made("/tokens", { name: "free", kind: "sat", independent: true });
    assert.deepEqual([free.parent_id, free.independent, free.expires_at], [parent_id, true, null]);
    const narrow = callerOf(
      app,
      (await admin.made("/tokens", { name: "n", scopes: ["tokens:write"] })).token,
    );
    const member = await caller({ email: "member@example.com" });
    for (const unfit of [narrow, member]) {
      const ask = { name: "no", scopes: ["tokens:write"], independent: true };
      assert.equal((await unfit.post("/tokens", ask)).status, 403);
    }
  });

  test("revoke: takes the descendants along, except independent ones and what these created", async (t) => {
    const { app, caller, db } = await testApp(t);
    const admin = await caller({ role: "admin" });
    const root = await admin.made("/tokens", { name: "root" });
    const child = async (parent: Wire, rest = {}) =>
      await callerOf(app, parent.token).made("/tokens", { name: "child", ...rest });
    const [first, service] = [await child(root), await child(root, { kind: "sat" })];
    const grandchild = await child(first);
    const gone = await child(first);
    await admin.delete(`/tokens/${gone.id}`);
    const free = await child(first, { independent: true });
    const spared = await child(free);
    await db.write.query({ text: "alter table idempotency_keys add constraint no check (answer is null)" });
    const key = { "idempotency-key": "all-or-nothing" };
    assert.equal((await admin.delete(`/tokens/${root.id}`, key)).status, 500);
    const isValid = async ({ token }: Wire) => (await callerOf(app, token).get("/agents")).status === 200;
    assert.ok(await isValid(grandchild), "a failed revocation revokes nothing");
    const { body } = await admin.delete(`/tokens/${root.id}`);
    assert.deepEqual(body.revoked_descendants.toSorted(), [first.id, service.id, grandchild.id].toSorted());
    for (const token of [root, first, service, grandchild, gone]) assert.ok(!(await isValid(token)));
    for (const token of [free, spared]) assert.ok(await isValid(token));
    assert.deepEqual((await admin.delete(`/tokens/${root.id}`)).body.revoked_descendants, []);
  });

  test("revoke during the creation of a child → the child is revoked or not created", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { rows } = await db.read.query<TokenRow>({ text: "select * from tokens" });
    const [parent] = rows;
    assert.ok(parent);
    const { id } = (await owner.get("/tokens")).body.data[0];
    const { revoked, child } = await db.transaction(async (tx) => {
      assert.ok(await lockParent(tx, parent.id));
      const revoked = owner.delete(`/tokens/${id}`);
      let settled = false;
      revoked.finally(() => {
        settled = true;
      });
      const waiting = () => db.read.query({ text: "select from pg_locks where not granted" });
      while ((await waiting()).rowCount === 0 && !settled);
      const child = await issueToken(tx, { ...parent, parent_id: parent.id });
      return { revoked, child };
    });
    assert.deepEqual((await revoked).body.revoked_descendants, [formatId("token", child.row.id)]);
    assert.equal(await db.transaction((tx) => lockParent(tx, parent.id)), null);
  });

  test("createTokenFor: creates what is missing, and keeps existing roles and organizations", async (t) => {
    const { db } = await testApp(t);
    const email = "new@example.com";
    const create = (terms: Omit<TokenFor, "email">) =>
      db.transaction((tx) => createTokenFor(tx, { email, ...terms }));
    const created = await Promise.all([1, 2, 3].map(() => create({ org: "acme", role: "admin" })));
    assert.equal(new Set(created.map(({ secret }) => secret)).size, 3);
    const { row } = await create({ org: "acme", scopes: ["agents:read"], expiresInSeconds: 60 });
    assert.deepEqual(row.scopes, ["agents:read"]);
    assert.notEqual(row.expires_at, null);
    const count = async (table: string) =>
      (await db.read.query<Wire>({ text: `select count(*) as n from ${table}` })).rows[0].n;
    assert.deepEqual(
      [
        await count("organizations"),
        await count("users"),
        await count("service_accounts"),
        await count("tokens"),
      ],
      [1, 1, 0, 4],
    );
    assert.equal((await db.read.query<Wire>({ text: "select role from users" })).rows[0].role, "admin");
    await assert.rejects(create({ org: "other" }), /another organization/);
    await create({});
    const { rows: homes } = await db.read.query<Wire>({
      text: "select distinct o.name from tokens t join organizations o on o.id = t.organization_id",
    });
    assert.deepEqual(homes, [{ name: "acme" }], "without a name, the user's own organization");
    assert.equal(await count("organizations"), 1, "nothing is left of what failed");
  });
});
