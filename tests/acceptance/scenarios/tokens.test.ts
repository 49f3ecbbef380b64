import assert from "node:assert/strict";
import { Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeSession } from "../harness/fixtures.ts";
import { refusedSoon } from "../harness/refused-soon.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

covers(["token-create", "ids"], "create token: the secret is returned once", async () => {
  const made = await api.ok("POST", "/tokens", {
    name: "ci",
    scopes: ["sessions:read"],
    expires_at: "2100-01-01T00:00:00.000Z",
  });
  assert.match(made.id, /^tok_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(made.token, /^berth_pat_[0-9A-Za-z]{46}$/);
  assert.match(made.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(made.type, "token");
  assert.equal(made.last4, made.token.slice(-4));
  assert.deepEqual(made.scopes, ["sessions:read"]);
  assert.equal(made.expires_at, "2100-01-01T00:00:00.000Z");
  const listed = await api.ok("GET", "/tokens");
  assert.ok(listed.data.some(({ id }: { id: string }) => id === made.id));
  assert.ok(!JSON.stringify(listed).includes(made.token));
  assertError(
    await api.post("/tokens", { name: "late", expires_at: "2001-01-01T00:00:00.000Z" }),
    400,
    "invalid_request_error",
    { param: "expires_at" },
  );
});

covers(["token-current"], "current token: which it is, whose, and of which service", async () => {
  const narrow = await api.ok("POST", "/tokens", { name: "narrow", scopes: ["files:read"] });
  const asked = await new Api(berth.url, narrow.token).ok("GET", "/tokens/current");
  const { token: _secret, last_used_at: _used, ...made } = narrow;
  const { organization, user, service_account, service_version, last_used_at: _asked, ...rest } = asked;
  assert.deepEqual(rest, made);
  assert.deepEqual(
    [organization.name, user.email, user.role],
    [berth.organization, berth.nameOf("owner@example.com"), "member"],
  );
  assert.equal(service_account, null);
  assert.match(service_version, /^\d+\.\d+\.\d+$/);
  const robot = await berth.client({ kind: "sat", user: "robot@example.com" });
  const own = await robot.ok("GET", "/tokens/current");
  assert.deepEqual(
    [own.user, own.service_account.name, own.kind],
    [null, berth.nameOf("robot@example.com"), "sat"],
  );
  assertError(
    await new Api(berth.url, "berth_pat_wrong").get("/tokens/current"),
    401,
    "authentication_error",
  );
});

covers(["token-revoke"], "revoked token → 401 at its next request", async () => {
  const made = await api.ok("POST", "/tokens", { name: "gone" });
  const holder = new Api(berth.url, made.token);
  assert.equal((await holder.get("/agents")).status, 200);
  assert.deepEqual(await api.ok("DELETE", `/tokens/${made.id}`), {
    id: made.id,
    type: "token_deleted",
    revoked_descendants: [],
  });
  assertError(await refusedSoon(() => holder.get("/agents")), 401, "authentication_error", {
    message: /revoked/,
  });
  assertError(await api.delete("/tokens/tok_01h00000000000000000000000"), 404, "not_found_error");
});

covers(["token-revoke-own"], "a token of any scope revokes itself, and no other", async () => {
  const admin = await berth.client({ user: "boss@example.com", role: "admin" });
  const made = (body: object, by = api) =>
    by.ok("POST", "/tokens", { name: "narrow", scopes: ["agents:read"], ...body });
  const parent = await made({ scopes: ["tokens:write", "agents:read"] });
  const narrow = await made({}, new Api(berth.url, parent.token));
  const tokens = [
    narrow,
    await made({ kind: "sat", name: "robot" }, admin),
    await made({ scopes: ["tokens:read"] }),
  ];
  for (const { token } of tokens) {
    const holder = new Api(berth.url, token);
    const { id } = await holder.ok("GET", "/tokens/current");
    for (const other of [parent, ...tokens].filter((one) => one.id !== id))
      assertError(await holder.delete(`/tokens/${other.id}`), 403, "permission_error", {
        message: /tokens:write/,
      });
  }
  for (const { id, token } of tokens) {
    const holder = new Api(berth.url, token);
    assert.equal((await holder.delete(`/tokens/${id}`)).body.id, id);
    assertError(await refusedSoon(() => holder.get("/agents")), 401, "authentication_error", {
      message: /revoked/,
    });
  }
  assert.equal((await new Api(berth.url, parent.token).get("/agents")).status, 200);
});

covers(
  ["token-bounds"],
  "create token: scopes and kinds that the creator lacks are rejected with 403",
  async () => {
    const narrow = await berth.client({ scopes: "tokens:write,agents:read" });
    assert.equal((await narrow.post("/tokens", { name: "a", scopes: ["agents:read"] })).status, 200);
    assertError(
      await narrow.post("/tokens", { name: "b", scopes: ["agents:write"] }),
      403,
      "permission_error",
      {
        message: /agents:write/,
      },
    );
    assertError(await narrow.post("/tokens", { name: "c" }), 403, "permission_error");
    assertError(await api.post("/tokens", { name: "d", kind: "sat" }), 403, "permission_error");
    const admin = await berth.client({ user: "boss@example.com", role: "admin" });
    const made = await admin.ok("POST", "/tokens", { name: "deploys", kind: "sat" });
    assert.match(made.token, /^berth_sat_/);
    assert.equal((await new Api(berth.url, made.token).get("/sessions")).status, 200);
  },
);

covers(
  ["token-parent"],
  "child: names its parent and does not outlive it, unless an admin says so",
  async () => {
    const admin = await berth.client({ user: "chief@example.com", role: "admin", expiresIn: 3_600 });
    const [parent] = (await admin.ok("GET", "/tokens")).data;
    const child = await admin.ok("POST", "/tokens", { name: "child" });
    assert.deepEqual([child.parent_id, child.expires_at], [parent.id, parent.expires_at]);
    const late = { name: "late", expires_at: "2100-01-01T00:00:00.000Z" };
    assertError(await admin.post("/tokens", late), 400, "invalid_request_error", { param: "expires_at" });
    const free = await admin.ok("POST", "/tokens", { ...late, kind: "sat", independent: true });
    assert.deepEqual([free.parent_id, free.independent], [parent.id, true]);
    assertError(await api.post("/tokens", { name: "no", independent: true }), 403, "permission_error");
  },
);

covers(["token-descendants"], "revoke: descendants are revoked with it, and their streams end", async () => {
  const { id: sessionId } = await makeSession(api);
  const root = await api.ok("POST", "/tokens", { name: "root" });
  const child = await new Api(berth.url, root.token).ok("POST", "/tokens", { name: "child" });
  const holder = new Api(berth.url, child.token);
  const grandchild = await holder.ok("POST", "/tokens", { name: "grandchild" });
  const stream = await fetch(`${berth.url}/api/v1/cloud/sessions/${sessionId}/events/stream`, {
    headers: { authorization: `Bearer ${grandchild.token}` },
  });
  assert.equal(stream.status, 200);
  const { revoked_descendants } = await api.ok("DELETE", `/tokens/${root.id}`);
  assert.deepEqual(revoked_descendants, [child.id, grandchild.id]);
  assertError(await refusedSoon(() => holder.get("/agents")), 401, "authentication_error", {
    message: /revoked/,
  });
  await stream.text();
});
