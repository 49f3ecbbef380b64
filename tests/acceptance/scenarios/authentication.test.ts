import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, makeSession } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const ABSENT_SESSION = "sess_01h00000000000000000000000";

covers(["auth-bearer"], "no bearer token: every endpoint responds with 401", async () => {
  const anonymous = new Api(berth.url, null);
  for (const path of [
    "/agents",
    "/sessions",
    `/sessions/${ABSENT_SESSION}`,
    `/sessions/${ABSENT_SESSION}/resources`,
    "/files",
    "/tokens",
  ]) {
    const response = await anonymous.get(path);
    assertError(response, 401, "authentication_error");
  }
  assertError(await anonymous.post("/sessions", {}), 401, "authentication_error");
});

covers(["auth-api-key"], "x-api-key instead of a bearer token → 401", async () => {
  const anonymous = new Api(berth.url, null);
  const response = await anonymous.get("/agents", { headers: { "x-api-key": api.token ?? "" } });
  assertError(response, 401, "authentication_error", { message: /x-api-key/ });
});

covers(
  ["auth-malformed"],
  "invalid token: malformed, unknown, revoked and expired have different messages",
  async () => {
    const body = "A".repeat(40);
    const unknown = `berth_pat_${body}${checksum(body)}`;
    const expiring = await berth.token({ expiresIn: 1 });
    const revoked = await api.ok("POST", "/tokens", { name: "short" });
    await api.ok("DELETE", `/tokens/${revoked.id}`);
    const messages = new Set<string>();
    for (const authorization of [
      `Basic ${Buffer.from("a:b").toString("base64")}`,
      "Bearer nonsense",
      `Bearer ${unknown}`,
      `Bearer ${revoked.token}`,
      `Bearer ${await expired(expiring)}`,
    ]) {
      const response = await api.get("/agents", { headers: { authorization } });
      assertError(response, 401, "authentication_error");
      messages.add(response.body.error.message);
      assert.ok(!response.body.error.message.includes(body));
    }
    assert.equal(messages.size, 5, [...messages].join(" | "));
  },
);

covers(["auth-kinds"], "token kinds: a PAT and a SAT can both use the session endpoints", async () => {
  for (const kind of ["pat", "sat"] as const) {
    const client = await berth.client({ kind, user: "boss@example.com", role: "admin" });
    const session = await makeSession(client);
    assert.equal((await client.get(`/sessions/${session.id}/resources`)).status, 200);
    assert.equal(session.owner_type, kind === "pat" ? "user" : "organization");
  }
});

covers(["auth-owner"], "access: another user's object is 403, a missing one 404", async () => {
  const session = await makeSession(api);
  const colleague = await berth.client({ user: "colleague@example.com" });
  const stranger = await berth.client({
    user: "stranger@elsewhere.example",
    org: "elsewhere",
    role: "admin",
  });
  for (const other of [colleague, stranger]) {
    for (const path of ["", "/resources", "/events", "/events/stream"]) {
      assertError(await other.get(`/sessions/${session.id}${path}`), 403, "permission_error");
      assertError(await other.get(`/sessions/${ABSENT_SESSION}${path}`), 404, "not_found_error");
    }
    for (const verb of ["cancel", "archive", "terminate"]) {
      assertError(await other.post(`/sessions/${session.id}/${verb}`), 403, "permission_error");
    }
    assertError(
      await other.post(`/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] }),
      403,
      "permission_error",
    );
    assertError(await other.get(`/agents/${session.agent.id}`), 403, "permission_error");
    assertError(await other.get(`/environments/${session.environment_id}`), 403, "permission_error");
    const mine = { agent: session.agent.id, environment_id: session.environment_id };
    assertError(await other.post("/sessions", mine), 403, "permission_error");
    assert.deepEqual(
      (await other.ok("GET", "/sessions")).data.filter(({ id }: { id: string }) => id === session.id),
      [],
    );
  }
});

covers(
  ["auth-organization"],
  "organization: members can access its objects, and an admin can access every object",
  async () => {
    const service = await berth.client({ kind: "sat", user: "boss@example.com", role: "admin" });
    const shared = await makeAgent(service, { name: "shared" });
    const personal = await makeAgent(api, { name: "personal" });
    const member = await berth.client({ user: "colleague@example.com" });
    const admin = await berth.client({ user: "boss@example.com" });
    assert.equal((await member.get(`/agents/${shared.id}`)).status, 200);
    assertError(await member.get(`/agents/${personal.id}`), 403, "permission_error");
    assert.equal((await admin.get(`/agents/${personal.id}`)).status, 200);
    assertError(await service.get(`/agents/${personal.id}`), 403, "permission_error");
    const listed = (await admin.ok("GET", "/agents?limit=100")).data.map(({ id }: { id: string }) => id);
    assert.ok(listed.includes(personal.id) && listed.includes(shared.id));
  },
);

covers(["auth-scope"], "scopes: a missing scope is 403 and named in the message", async () => {
  const reader = await berth.client({ scopes: "agents:read,sessions:read" });
  assert.equal((await reader.get("/agents")).status, 200);
  assertError(await reader.post("/agents", {}), 403, "permission_error", { message: /agents:write/ });
  assertError(await reader.get("/files"), 403, "permission_error", { message: /files:read/ });
  const writer = await berth.client({ scopes: "environments:write" });
  const made = await makeEnvironment(writer);
  assertError(await writer.get(`/environments/${made.id}`), 403, "permission_error", {
    message: /environments:read/,
  });
});

function checksum(body: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let value = crc32(body);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = digits.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** Resolves with the token when it has expired. */
async function expired(token: string): Promise<string> {
  for (;;) {
    const response = await api.get("/agents", { headers: { authorization: `Bearer ${token}` } });
    if (response.status === 401) return token;
  }
}
