import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type AnyJson, Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { refusedSoon } from "../harness/refused-soon.ts";

let berth: Berth;
let ada: Api;
let nobody: Api;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "debug" } });
  ada = await berth.client({ user: "ada@example.com" });
  nobody = new Api(berth.url, null);
});
after(() => berth.stop());

const ask = (body: AnyJson = {}) => nobody.ok("POST", "/device_authorizations", body);
const poll = ({ device_code }: AnyJson) => nobody.post("/device_tokens", { device_code });
const decide = (api: Api, verb: string, { user_code }: AnyJson, more: AnyJson = {}) =>
  api.post(`/device_authorizations/${verb}`, { user_code, ...more });

async function refusal(asked: AnyJson): Promise<[number, string, string]> {
  const { status, body } = await poll(asked);
  return [status, body.error.type, body.error.code];
}

async function audit(): Promise<AnyJson[]> {
  const lines = await berth.command("admin", "audit", "--json", "--all");
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

covers(
  ["device-login", "device-approval"],
  "asked without a token, approved elsewhere: one poll gets a token of the approver, with the scopes asked for",
  async () => {
    const asked = await ask({ client_name: "ada's laptop", scopes: ["agents:read", "agents:write"] });
    assert.match(asked.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(
      [asked.expires_in, asked.interval, asked.verification_uri],
      [600, 5, `${berth.url}/console/device`],
    );
    assert.match(asked.instructions, new RegExp(`: berth login approve ${asked.user_code}$`));
    const seen = (await decide(ada, "lookup", { user_code: ` ${asked.user_code.toLowerCase()} ` })).body;
    assert.deepEqual(
      [seen.status, seen.client_name, seen.client_address, seen.scopes],
      ["pending", "ada's laptop", "127.0.0.1", ["agents:read", "agents:write"]],
    );
    assert.deepEqual(await refusal(asked), [409, "conflict_error", "authorization_pending"]);
    const approved = await decide(ada, "approve", asked, { scopes: ["agents:read"] });
    assert.deepEqual(approved.body.granted_scopes, ["agents:read"]);
    const { status, body: token, headers } = await poll(asked);
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
    assert.deepEqual(await refusal(asked), [400, "invalid_request_error", "invalid_grant"]);
    const device = new Api(berth.url, token.token);
    const current = await device.ok("GET", "/tokens/current");
    assert.equal(current.user.email, "ada@example.com");
    assert.equal((await device.get("/agents")).status, 200);
    assert.equal((await device.get("/sessions")).status, 403);
    const [listed] = (await ada.ok("GET", "/tokens")).data;
    const { id: parent } = await ada.ok("GET", "/tokens/current");
    assert.deepEqual([listed.id, listed.name, listed.parent_id], [token.id, "ada's laptop", parent]);
    await ada.ok("DELETE", `/tokens/${token.id}`);
    assert.equal((await refusedSoon(() => device.get("/agents"))).status, 401);
  },
);

covers(
  ["device-approval"],
  "scopes that the approver lacks, or nobody asked for; another token revoked; service accounts; twice",
  async () => {
    const narrow = await ada.ok("POST", "/tokens", { name: "n", scopes: ["tokens:write", "agents:read"] });
    const api = new Api(berth.url, narrow.token);
    const all = await ask();
    assertError(await decide(api, "approve", all), 403, "permission_error");
    assert.equal((await decide(api, "approve", all, { scopes: ["agents:read"] })).status, 200);
    assertError(await decide(ada, "approve", all), 404, "not_found_error", { param: "user_code" });
    const { token } = (await poll(all)).body;
    await ada.ok("DELETE", `/tokens/${narrow.id}`);
    const child = new Api(berth.url, token);
    assert.equal((await refusedSoon(() => child.get("/agents"))).status, 401, "revoked with its parent");
    const one = await ask({ scopes: ["agents:read"] });
    const wider = await decide(ada, "approve", one, { scopes: ["agents:write"] });
    assertError(wider, 400, "invalid_request_error", { param: "scopes" });
    const account = await berth.client({ user: "ada@example.com", kind: "sat" });
    for (const verb of ["lookup", "approve", "deny"])
      assertError(await decide(account, verb, one), 403, "permission_error");
    const reader = await ada.ok("POST", "/tokens", { name: "r", scopes: ["tokens:read"] });
    const mayNot = await decide(new Api(berth.url, reader.token), "lookup", one);
    assertError(mayNot, 403, "permission_error");
    const approver = await ada.ok("POST", "/tokens", { name: "gone" });
    assert.equal((await decide(new Api(berth.url, approver.token), "approve", one)).status, 200);
    await ada.ok("DELETE", `/tokens/${approver.id}`);
    assert.deepEqual(await refusal(one), [403, "permission_error", "access_denied"]);
  },
);

covers(["device-polls"], "polls: pending, too early, denied, and codes that nobody has", async () => {
  const asked = await ask();
  assert.deepEqual(await refusal(asked), [409, "conflict_error", "authorization_pending"]);
  assert.deepEqual(await refusal(asked), [429, "rate_limit_error", "slow_down"]);
  assert.equal((await decide(ada, "deny", asked)).body.status, "denied");
  assert.deepEqual(await refusal(asked), [403, "permission_error", "access_denied"]);
  assert.deepEqual(await refusal({ device_code: "x" }), [400, "invalid_request_error", "invalid_grant"]);
  assertError(await nobody.post("/device_tokens", {}), 400, "invalid_request_error", {
    param: "device_code",
  });
  assertError(await nobody.post("/device_authorizations", { scopes: ["x"] }), 400, "invalid_request_error", {
    param: "scopes[0]",
  });
});

covers(
  ["device-operator", "device-secrets"],
  "the operator approves for a user and denies; entries in the audit log, and no code or token in it or in the log",
  async () => {
    const [one, two] = [await ask({ scopes: ["agents:read"] }), await ask()];
    const before = (await audit()).length;
    await assert.rejects(
      berth.command("admin", "login", "approve", one.user_code, "--user", "no@example.com"),
    );
    await berth.command("admin", "login", "approve", one.user_code, "--user", "ada@example.com");
    await berth.command("admin", "login", "deny", two.user_code);
    const { body: made } = await poll(one);
    assert.deepEqual([made.parent_id, made.scopes], [null, ["agents:read"]]);
    assert.equal((await poll(two)).status, 403);
    const mine = await ask();
    await decide(ada, "approve", mine);
    const { body: own } = await poll(mine);
    const entries = await audit();
    assert.deepEqual(
      entries
        .slice(0, entries.length - before)
        .map(({ operation, actor_type: actor, organization, resources }) => [
          operation,
          actor,
          organization,
          resources.map((id: string) => id.split("_")[0]).join(" "),
        ]),
      [
        ["deviceTokens.create", "user", "default", "devauth tok"],
        ["deviceAuthorizations.approve", "user", "default", "devauth"],
        ["deviceTokens.create", "operator", "default", "devauth tok"],
        ["adminDeviceAuthorizations.deny", "operator", null, "devauth"],
        ["adminDeviceAuthorizations.approve", "operator", "default", "devauth usr"],
      ],
    );
    const written = berth.log + JSON.stringify(entries);
    for (const { user_code, device_code } of [one, two, mine])
      for (const secret of [user_code, user_code.replace("-", ""), device_code])
        assert.ok(!written.includes(secret));
    for (const { token } of [made, own]) assert.ok(!written.includes(token));
  },
);

covers(["device-limits"], "limits: what waits for one address, and the codes that a user tries", async () => {
  const bob = await berth.client({ user: "bob@example.com" });
  const tries = await Promise.all(
    Array.from({ length: 22 }, () => decide(bob, "lookup", { user_code: "BBBB-BBBB" })),
  );
  const statuses = tries.map(({ status }) => status);
  assert.ok(statuses.includes(429) && statuses.filter((status) => status === 404).length >= 20);
  assert.equal((await bob.get("/agents")).status, 200);
  for (let count = 0; count < 60; count += 1) {
    const { status } = await nobody.post("/device_authorizations", {});
    if (status !== 429) continue;
    assert.ok(count > 30);
    return;
  }
  assert.fail("nothing was refused");
});
