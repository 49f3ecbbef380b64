import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "@berth/sdk";
import { describeScopes, SCOPE_ROWS } from "./scopes.ts";
import { bodyOf, EMPTY_TOKEN, placeOf } from "./token-form.ts";
import { fits, readTokenSearch } from "./token-search.ts";
import { maskedOf, revokedWith, stateOf } from "./token-state.ts";

const NOW = Date.parse("2026-11-25T12:00:30Z");

const token = (part: Partial<Token>) =>
  ({
    id: "tok_a",
    kind: "pat",
    name: "laptop",
    last4: "x7Qa",
    scopes: ["sessions:read"],
    owner_id: "usr_a",
    parent_id: null,
    independent: false,
    expires_at: null,
    revoked_at: null,
    ...part,
  }) as Token;

test("a token is active until it expires or is revoked", () => {
  assert.equal(stateOf(token({}), NOW), "active");
  assert.equal(stateOf(token({ expires_at: "2026-11-25T12:00:31Z" }), NOW), "active");
  assert.equal(stateOf(token({ expires_at: "2026-11-25T12:00:30Z" }), NOW), "expired");
  assert.equal(
    stateOf(token({ expires_at: "2020-01-01T00:00:00Z", revoked_at: "2020-01-01T00:00:00Z" }), NOW),
    "revoked",
  );
});

test("with a token go those that were made with it, unless independent or gone already", () => {
  const all = [
    token({ id: "tok_child", parent_id: "tok_a" }),
    token({ id: "tok_grandchild", parent_id: "tok_child" }),
    token({ id: "tok_free", parent_id: "tok_a", independent: true }),
    token({ id: "tok_gone", parent_id: "tok_a", revoked_at: "2026-01-01T00:00:00Z" }),
    token({ id: "tok_other", parent_id: "tok_b" }),
  ];
  assert.deepEqual(
    revokedWith("tok_a", all).map(({ id }) => id),
    ["tok_child", "tok_grandchild"],
  );
});

test("only beginning and end of a token are told", () => {
  assert.deepEqual(
    [maskedOf(token({})), maskedOf(token({ kind: "sat" }))],
    ["berth_pat_…x7Qa", "berth_sat_…x7Qa"],
  );
});

test("the rows of scopes are those of the operations", () => {
  const scopes = SCOPE_ROWS.flatMap(({ read, write }) => [read, write]).filter((scope) => scope !== null);
  assert.ok(scopes.includes("sessions:read") && scopes.includes("memory_stores:write"));
  const metrics = SCOPE_ROWS.find(({ noun }) => noun === "metrics");
  assert.deepEqual(metrics, { noun: "metrics", label: "Metrics", read: "metrics:read", write: null });
});

test("scopes are told in words", () => {
  assert.deepEqual(describeScopes(["*", "files:read"]), ["Everything"]);
  assert.deepEqual(describeScopes(["scim"]), ["manage users by SCIM"]);
  assert.deepEqual(
    describeScopes(["files:read", "sessions:read", "sessions:write", "vaults:write", "metrics:read"]),
    ["read and write sessions", "read metrics", "read files", "write vaults"],
  );
});

test("a form makes a request", () => {
  const form = { ...EMPTY_TOKEN, name: " ci " };
  assert.deepEqual(bodyOf({ ...form, expiry: "7", scopes: ["files:read"] }, NOW), {
    kind: "pat",
    name: "ci",
    scopes: ["files:read"],
    expires_at: "2026-12-02T12:00:00.000Z",
  });
  assert.deepEqual(bodyOf({ ...form, access: "all", expiry: "latest", independent: true }, NOW), {
    kind: "pat",
    name: "ci",
    scopes: ["*"],
    independent: true,
  });
  assert.equal(
    bodyOf({ ...form, expiry: "date", date: "2027-01-31" }, NOW).expires_at,
    "2027-01-31T23:59:59.000Z",
  );
  assert.deepEqual(["scopes[0]", "expires_at"].map(placeOf), ["scopes", "expires_at"]);
});

test("an address is read, whatever stands in it", () => {
  assert.deepEqual(
    readTokenSearch({ q: 7, kind: "sat", owner: "usr_a", ended: true, create: true, token: "tok_a" }),
    {
      q: "7",
      kind: "sat",
      owner: "usr_a",
      ended: true,
      create: true,
      token: "tok_a",
    },
  );
  assert.deepEqual(readTokenSearch({ q: "", kind: "root", owner: 1, ended: "yes", token: [] }), {});
});

test("the list shows what is active, and what fits", () => {
  const gone = token({ revoked_at: "2026-01-01T00:00:00Z" });
  assert.deepEqual(
    [fits(gone, {}, NOW), fits(gone, { ended: true }, NOW), fits(token({}), { kind: "console" }, NOW)],
    [false, true, false],
  );
  assert.ok(
    fits(token({}), { q: "SESSIONS:read" }, NOW) && fits(token({}), { q: "x7qa", owner: "usr_a" }, NOW),
  );
  assert.ok(!fits(token({}), { owner: "usr_b" }, NOW));
});
