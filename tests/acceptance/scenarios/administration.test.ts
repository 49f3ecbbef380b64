import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { callOperation } from "../../proof/harness/call-operation.ts";
import { readOpenApiDocument } from "../../proof/harness/openapi-document.ts";
import { makeTenantObjects } from "../../proof/harness/tenant-objects.ts";
import { type AnyJson, Api, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn } from "../harness/fixtures.ts";
import { listAll } from "../harness/list-all.ts";
import { refusedSoon } from "../harness/refused-soon.ts";

const { berth, api } = await startBerth();
const ADMIN = "/api/v1/admin";
const BINARY = fileURLToPath(new URL("../../../bin/berth", import.meta.url));

async function newOperator(): Promise<Api> {
  return new Api(berth.url, await berth.command("bootstrap", "--operator", "acceptance"));
}
const operator = await newOperator();

/** Returns the objects on all pages of an operator's list. */
async function listed(path: string, as = operator): Promise<AnyJson[]> {
  return await listAll(as, `${ADMIN}${path}`);
}

const made = (path: string, body: object) => operator.ok("POST", `${ADMIN}${path}`, body);
const post = (path: string, body?: object) => operator.post(`${ADMIN}${path}`, body);

covers(
  ["admin-token"],
  "operator tokens: returned once, listed with their last use, and not outliving the one that creates them",
  async () => {
    assert.match(operator.token ?? "", /^berth_operator_[0-9A-Za-z]{46}$/);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const created = await made("/operator_tokens", { name: "provisioning", expires_at });
    const child = new Api(berth.url, created.token);
    const grandchild = await child.ok("POST", `${ADMIN}/operator_tokens`, { name: "narrow" });
    assert.deepEqual([grandchild.parent_id, grandchild.expires_at], [created.id, expires_at]);
    const late = { name: "late", expires_at: new Date(Date.now() + 7_200_000).toISOString() };
    assertError(await child.post(`${ADMIN}/operator_tokens`, late), 400, "invalid_request_error", {
      param: "expires_at",
    });
    await berth.operatorToken();
    const tokens = await listed("/operator_tokens?limit=1");
    const own = tokens.find(({ id }) => id === created.id);
    assert.deepEqual(
      [own.name, own.last4, typeof own.last_used_at, own.revoked_at],
      ["provisioning", created.token.slice(-4), "string", null],
    );
    for (const secret of [created.token, operator.token ?? ""])
      assert.ok(!JSON.stringify(tokens).includes(secret) && !berth.log.includes(secret));
    assert.deepEqual(
      JSON.parse(await berth.command("admin", "operator-tokens", "list", "--json")).data.map(
        ({ id }: AnyJson) => id,
      ),
      tokens.map(({ id }) => id),
    );
  },
);

covers(
  ["admin-token-apart", "admin-no-contents"],
  "operator token: good for administration alone, and nothing of a session is in what it reads",
  async () => {
    const canary = "operatorcanary";
    const objects = await makeTenantObjects(api, canary);
    const command = `echo ${canary} > /mnt/session/outputs/${canary}`;
    await runTurn(api, objects.ids.session_id ?? "", { tools: [bash(command)] }, { say: canary });
    const { operations } = await readOpenApiDocument(berth.url);
    const admin = await berth.client({ user: "admin@example.com", role: "admin" });
    const member = await berth.client({ user: "member@example.com" });
    let elsewhere = 0;
    for (const operation of operations.filter(({ isOpen, isOperators }) => !isOpen && !isOperators)) {
      const response = await callOperation(operator, operation, objects);
      assertError(response, 403, "permission_error", { message: /accepted only under '\/api\/v1\/admin'/ });
      elsewhere += 1;
    }
    assert.ok(elsewhere > 70);
    for (const operation of operations.filter(({ isOperators }) => isOperators)) {
      const denied = await callOperation(operation.isAdmins ? member : admin, operation, objects);
      const message = operation.isAdmins ? /^Only an admin of the organization/ : /'operator'/;
      assertError(denied, 403, "permission_error", { message });
      // Tokens are listed with their names.
      if (operation.method !== "GET" || operation.id === "adminTokens.list") continue;
      const { body } = await callOperation(operator, operation, objects);
      assert.ok(!JSON.stringify(body).includes(canary), operation.id);
    }
    const signedIn = { headers: { cookie: `berth_console=${operator.token}` } };
    const nobody = new Api(berth.url, null);
    assertError(await nobody.get(`${ADMIN}/hosts`, signedIn), 401, "authentication_error");
  },
);

covers(
  ["admin-token-revoked"],
  "operator token: refused from the response to its revocation on, with those that it created",
  async () => {
    const doomed = await newOperator();
    const child = new Api(
      berth.url,
      (await doomed.ok("POST", `${ADMIN}/operator_tokens`, { name: "x" })).token,
    );
    assert.equal((await child.get(`${ADMIN}/hosts`)).status, 200);
    const last4 = doomed.token?.slice(-4);
    const found = (await listed("/operator_tokens")).find((token) => token.last4 === last4);
    const revoked = await operator.ok("DELETE", `${ADMIN}/operator_tokens/${found.id}`);
    assert.equal(revoked.revoked_descendants.length, 1);
    for (const gone of [doomed, child])
      assertError(await gone.get(`${ADMIN}/hosts`), 401, "authentication_error", {
        message: "The token was revoked.",
      });
  },
);

covers(
  ["admin-members", "admin-conventions"],
  "organizations, users and service accounts: made, listed, changed, and each error",
  async () => {
    const acme = await made("/organizations", { name: "acme" });
    const key = { headers: { "idempotency-key": "user-once" } };
    const fields = { email: "ada@example.com", organization_id: acme.id };
    const first = await operator.call("POST", `${ADMIN}/users`, fields, key);
    const again = await operator.call("POST", `${ADMIN}/users`, fields, key);
    assert.deepEqual([again.body, again.headers.get("idempotency-replayed")], [first.body, "true"]);
    const ada = first.body;
    const ci = await made("/service_accounts", { name: "ci", organization_id: acme.id });
    assert.deepEqual([ada.role, ada.organization, ci.organization_id], ["member", "acme", acme.id]);
    assert.equal((await made(`/users/${ada.id}`, { role: "admin" })).role, "admin");
    assert.equal((await made(`/organizations/${acme.id}`, { name: "Acme" })).name, "Acme");
    const token = await berth.client({ user: "ada@example.com" });
    for (const [path, caller] of [
      [`/users/${ada.id}`, token],
      [`/service_accounts/${ci.id}`, null],
    ] as const) {
      assert.equal(typeof (await operator.ok("POST", `${ADMIN}${path}/disable`)).disabled_at, "string");
      if (caller !== null)
        assertError(await refusedSoon(() => caller.get("/agents")), 401, "authentication_error");
      assert.equal((await operator.ok("POST", `${ADMIN}${path}/enable`)).disabled_at, null);
    }
    assert.deepEqual(
      (await listed(`/users?organization_id=${acme.id}`)).map(({ id }) => id),
      [ada.id],
    );
    assert.deepEqual(
      (await listed("/users?email=ada@example.com")).map(({ id }) => id),
      [ada.id],
    );
    assert.deepEqual(
      (await listed("/service_accounts?name=ci")).map(({ id }) => id),
      [ci.id],
    );
    const [counted] = await listed("/organizations?name=Acme");
    assert.deepEqual([counted.users, counted.service_accounts], [1, 1]);
    assertError(await post("/organizations", { name: "Acme" }), 409, "conflict_error");
    assertError(await post("/users", fields), 409, "conflict_error");
    assertError(
      await post("/service_accounts", { name: "ci", organization_id: acme.id }),
      409,
      "conflict_error",
    );
    const absent = acme.id.replace(/_.*/, "_01zzzzzzzzzzzzzzzzzzzzzzzz");
    assertError(await post(`/organizations/${absent}`, { name: "x" }), 404, "not_found_error");
    assertError(await post("/users", { ...fields, organization_id: absent }), 404, "not_found_error");
    assertError(await post("/users", { ...fields, email: "ada" }), 400, "invalid_request_error", {
      message: "Field 'email' must be an email address.",
      param: "email",
    });
    assertError(await operator.get(`${ADMIN}/users?limit=101`), 400, "invalid_request_error", {
      message: "limit exceeds maximum of 100",
    });
  },
);

covers(
  ["admin-member-tokens"],
  "tokens of users and service accounts: with scopes and an expiry, and not of whoever is disabled",
  async () => {
    const { id: organization_id } = await made("/organizations", { name: "tokens" });
    const user = await made("/users", { email: "eve@example.com", organization_id });
    const account = await made("/service_accounts", { name: "bot", organization_id });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const terms = { name: "first", scopes: ["agents:read"], expires_at };
    for (const whose of [{ user_id: user.id }, { service_account_id: account.id }]) {
      const created = await made("/tokens", { ...whose, ...terms });
      assert.deepEqual([created.name, created.expires_at], ["first", expires_at]);
      const caller = new Api(berth.url, created.token);
      assert.equal((await caller.get("/agents")).status, 200);
      assertError(await caller.get("/sessions"), 403, "permission_error");
      const path = whose.user_id === undefined ? `/service_accounts/${account.id}` : `/users/${user.id}`;
      await operator.ok("POST", `${ADMIN}${path}/disable`);
      assertError(await post("/tokens", whose), 409, "conflict_error");
    }
    assertError(await post("/tokens", {}), 400, "invalid_request_error", { param: "user_id" });
  },
);

covers(
  ["admin-limits"],
  "limits and retention: read and changed, and what is wrong is refused by name",
  async () => {
    const organization = await made("/organizations", { name: "limited" });
    const user = await made("/users", { email: "lee@example.com", organization_id: organization.id });
    const caller = await berth.client({ user: "lee@example.com" });
    await made(`/limits/${user.id}`, { open_sessions: 0 });
    const get = async (path: string) =>
      Object.fromEntries(
        (await operator.ok("GET", `${ADMIN}${path}`)).data.map(({ name, ...rest }: AnyJson) => [
          name,
          rest.value ?? rest.days ?? rest.from,
        ]),
      );
    const { open_sessions } = await get(`/limits/${user.id}`);
    assert.equal(open_sessions, 0);
    const every = {
      ...{ requests_per_second: 1_000, request_burst: 1_000, file_bytes: 10, running_turns: 2 },
      ...{ sandbox_seconds_per_day: 60, disk_bytes: 7, spend_cents: 900, spend_cents_per_day: 90 },
    };
    await made(`/limits/${organization.id}`, { ...every, open_sessions: "none" });
    assert.deepEqual(await get(`/limits/${organization.id}`), { ...every, open_sessions: "own" });
    await made(`/limits/${organization.id}`, { running_turns: null, disk_bytes: null });
    const { data } = await operator.ok("GET", `${ADMIN}/limits/${organization.id}`);
    const sources = Object.fromEntries(data.map(({ name, from }: AnyJson) => [name, from]));
    assert.deepEqual(
      [sources.running_turns, sources.disk_bytes, sources.file_bytes],
      [null, "settings", "own"],
    );
    await made(`/retention/${organization.id}`, { sessions: 90, events: 30, files: "none" });
    assert.deepEqual(await get(`/retention/${organization.id}`), { sessions: 90, events: 30, files: "own" });
    assertError(await post(`/limits/${user.id}`, { running_turns: 0 }), 400, "invalid_request_error", {
      param: "running_turns",
    });
    assertError(await post(`/retention/${organization.id}`, { files: 0 }), 400, "invalid_request_error", {
      param: "files",
    });
    assert.equal((await caller.get("/agents")).status, 200);
  },
);

covers(
  ["admin-erasures"],
  "erasures: carried out, with a receipt, and whoever is being erased stays disabled",
  async () => {
    const { id: organization_id } = await made("/organizations", { name: "leaving" });
    const user = await made("/users", { email: "mallory@example.com", organization_id });
    const caller = await berth.client({ user: "mallory@example.com" });
    await makeSession(caller);
    const asked = await made("/erasures", { user_id: user.id });
    assert.deepEqual([asked.subject_id, asked.organization_id], [user.id, organization_id]);
    assertError(await refusedSoon(() => caller.get("/agents")), 401, "authentication_error");
    const enabled = await post(`/users/${user.id}/enable`);
    assert.ok([404, 409].includes(enabled.status), "erased already, or being erased");
    let receipt = asked;
    while (receipt.completed_at === null) receipt = await operator.ok("GET", `${ADMIN}/erasures/${asked.id}`);
    assert.ok(receipt.deleted.sessions >= 1 && receipt.remains.length > 0);
    assert.deepEqual((await listed("/erasures"))[0], receipt);
    assertError(await post("/erasures", {}), 400, "invalid_request_error");
    assertError(await post("/erasures", { user_id: user.id }), 404, "not_found_error");
    await made("/erasures", { organization_id });
    const late = await post("/users", { email: "late@example.com", organization_id });
    assert.ok([404, 409].includes(late.status), "erased already, or being erased");
  },
);

covers(["admin-logins"], "logins by device: looked up, approved for a user, and denied", async () => {
  const { id: organization_id } = await made("/organizations", { name: "devices" });
  const user = await made("/users", { email: "dev@example.com", organization_id });
  const nobody = new Api(berth.url, null);
  const ask = () => nobody.ok("POST", "/device_authorizations", { client_name: "a laptop" });
  const { user_code, device_code } = await ask();
  assert.equal((await made("/device_authorizations/lookup", { user_code })).client_name, "a laptop");
  const approval = { user_code, user_id: user.id, scopes: ["agents:read"] };
  assert.equal((await made("/device_authorizations/approve", approval)).status, "approved");
  const { token, owner_id } = await nobody.ok("POST", "/device_tokens", { device_code });
  assert.equal(owner_id, user.id);
  assertError(await new Api(berth.url, token).get("/files"), 403, "permission_error");
  const denied = await ask();
  await made("/device_authorizations/deny", { user_code: denied.user_code });
  const { device_code: refused } = denied;
  assertError(await nobody.post("/device_tokens", { device_code: refused }), 403, "permission_error");
  for (const verb of ["lookup", "deny"])
    assertError(await post(`/device_authorizations/${verb}`, { user_code }), 404, "not_found_error");
});

covers(
  ["admin-hosts"],
  "hosts: listed with their load, drained, and forgotten only when they are gone",
  async () => {
    await berth.ready();
    const [host, ...others] = await listed("/hosts");
    assert.deepEqual(others, []);
    assert.deepEqual(
      [host.role, host.draining, host.running_sessions, host.other_settings],
      ["all", false, 0, []],
    );
    assert.ok(host.capacity > 0 && host.place.endsWith(host.id) && host.seen_seconds_ago < 60);
    assert.equal((await operator.ok("POST", `${ADMIN}/hosts/${host.id}/drain`)).draining, true);
    assert.equal((await operator.ok("POST", `${ADMIN}/hosts/${host.id}/resume`)).draining, false);
    assertError(await post(`/hosts/${host.id}/forget`, {}), 409, "conflict_error");
    assertError(await post("/hosts/none/forget", { force: true }), 404, "not_found_error");
  },
);

covers(["admin-audit"], "audit entries: of operators with their token, by filters and pages", async () => {
  const { id } = await made("/organizations", { name: "audited" });
  const user = await made("/users", { email: "kim@example.com", organization_id: id });
  const member = new Api(berth.url, await berth.command("bootstrap", "--user", "kim@example.com"));
  await member.ok("POST", "/agents", { name: "a", model: "rehearsal/steps" });
  const entries = await listed(`/audit_entries?limit=1&organization_id=${id}`);
  assert.deepEqual(
    entries.map(({ operation, actor_type }) => [operation, actor_type]),
    [
      ["agents.create", "user"],
      ["bootstrap", "operator"],
      ["adminUsers.create", "operator"],
      ["adminOrganizations.create", "operator"],
    ],
  );
  const [, onHost, byToken] = entries;
  assert.deepEqual([onHost.token_id, byToken.actor], [null, "acceptance"]);
  assert.match(byToken.token_id, /^optok_/);
  assert.equal((await listed(`/audit_entries?user_id=${user.id}`)).length, 1);
  assert.equal((await listed(`/audit_entries?resource=${user.id}&operation=adminUsers`)).length, 1);
  const until = encodeURIComponent(entries[0].created_at);
  assert.equal((await listed(`/audit_entries?organization_id=${id}&created_at[lt]=${until}`)).length, 3);
  const printed = await berth.command("admin", "audit", "--org", "audited", "--json");
  assert.deepEqual(
    printed.split("\n").map((line) => JSON.parse(line)),
    entries,
  );
});

covers(
  ["admin-command"],
  "berth admin: by the API with an operator token, and a member's token is refused",
  async () => {
    const { data } = JSON.parse(await berth.command("admin", "organizations", "list", "--json"));
    const byName = (one: AnyJson, other: AnyJson) => (one.name < other.name ? -1 : 1);
    assert.deepEqual(data, (await listed("/organizations")).toSorted(byName));
    const asUser = { env: { PATH: process.env.PATH, BERTH_URL: berth.url, BERTH_TOKEN: api.token ?? "" } };
    await assert.rejects(promisify(execFile)(BINARY, ["admin", "organizations", "list"], asUser), {
      code: 4,
      stderr: /^error: Only an admin of the organization can administer it\./,
    });
    await assert.rejects(berth.command("admin", "organizations", "rename", "nowhere", "x"), {
      code: 1,
      stderr: /error: There is no organization 'nowhere'\./,
    });
  },
);
