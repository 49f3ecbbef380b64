import assert from "node:assert/strict";
import { type AnyJson, Api, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { listAll } from "../harness/list-all.ts";
import { refusedSoon } from "../harness/refused-soon.ts";

const { berth } = await startBerth();
const ADMIN = "/api/v1/admin";
const operator = await berth.operator();

/** An organization with an admin, and what the admin's client needs to call. */
interface Own {
  id: string;
  admin: Api;
  /** Id of the admin. */
  self: string;
  made(path: string, body?: object): Promise<AnyJson>;
  post(path: string, body?: object): ReturnType<Api["post"]>;
  get(path: string): Promise<AnyJson>;
  /** Adds a user, by an operator. */
  user(name: string, role?: "member" | "admin"): Promise<AnyJson>;
}

async function organization(org: string): Promise<Own> {
  const admin = await berth.client({ org, user: `admin@${org}.example.com`, role: "admin" });
  const { organization: own, user } = await admin.ok("GET", "/tokens/current");
  const organization_id = own.id;
  return {
    id: own.id,
    admin,
    self: user.id,
    made: (path, body) => admin.ok("POST", ADMIN + path, body),
    post: (path, body) => admin.post(ADMIN + path, body),
    get: (path) => admin.ok("GET", ADMIN + path),
    user: (name, role = "member") =>
      operator.ok("POST", `${ADMIN}/users`, { email: `${name}@${org}.example.com`, role, organization_id }),
  };
}

covers(
  ["organization-admin"],
  "an admin manages their organization: users, service accounts, tokens, name, retention and erasures",
  async () => {
    const { id: organization_id, admin, made, get, self } = await organization("managed");
    const grace = await made("/users", { email: "grace@managed.example.com", organization_id });
    assert.deepEqual([grace.role, grace.organization], ["member", "managed"]);
    assert.equal((await made(`/users/${grace.id}`, { role: "admin" })).role, "admin");
    const bot = await made("/service_accounts", { name: "bot", organization_id });
    for (const path of [`/users/${grace.id}`, `/service_accounts/${bot.id}`]) {
      assert.equal(typeof (await made(`${path}/disable`)).disabled_at, "string");
      assert.equal((await made(`${path}/enable`)).disabled_at, null);
    }
    const { token, ...created } = await made("/tokens", {
      service_account_id: bot.id,
      scopes: ["agents:read"],
    });
    const [listed] = (await get("/tokens?limit=1")).data;
    assert.deepEqual(
      [listed.id, listed.bearer_id, listed.bearer, listed.name, listed.last4],
      [created.id, bot.id, "bot", "made by an admin", token.slice(-4)],
    );
    const ofGrace = await made("/tokens", { user_id: grace.id, scopes: ["agents:read"] });
    const theirs = (await get(`/tokens?user_id=${grace.id}`)).data;
    assert.deepEqual(
      theirs.map(({ id, bearer }: AnyJson) => [id, bearer]),
      [[ofGrace.id, grace.email]],
    );
    const asBot = new Api(berth.url, token);
    assert.equal((await asBot.get("/agents")).status, 200);
    await admin.ok("DELETE", `${ADMIN}/tokens/${created.id}`);
    assertError(await asBot.get("/agents"), 401, "authentication_error", {
      message: "The token was revoked.",
    });

    const [organization_] = (await get("/organizations")).data;
    assert.deepEqual([organization_.id, organization_.users], [organization_id, 2]);
    const renamed = await made(`/organizations/${organization_id}`, {
      name: "Managed",
      default_visibility: "organization",
    });
    assert.deepEqual([renamed.name, renamed.default_visibility], ["Managed", "organization"]);
    await made(`/retention/${organization_id}`, { files: 30 });
    const { data: days } = await get(`/retention/${organization_id}`);
    assert.equal(days.find(({ name }: AnyJson) => name === "files").days, 30);
    assert.ok((await get(`/limits/${organization_id}`)).data.length > 5);
    let receipt = await made("/erasures", { user_id: grace.id });
    while (receipt.completed_at === null) receipt = await get(`/erasures/${receipt.id}`);
    assert.deepEqual((await get(`/erasures?organization_id=${organization_id}`)).data, [receipt]);
    assert.deepEqual(
      (await get("/users")).data.map(({ id }: AnyJson) => id),
      [self],
    );
  },
);

covers(
  ["organization-admin-bounds"],
  "an admin: 403 for what is the operator's, and for other organizations, whose lists stay empty",
  async () => {
    const [own, other] = [await organization("bounded"), await organization("beyond")];
    for (const [method, path, body] of [
      ["POST", "/organizations", { name: "another" }],
      ["POST", `/limits/${own.id}`, { open_sessions: 5 }],
      ["POST", "/operator_tokens", { name: "root" }],
      ["GET", "/operator_tokens", undefined],
      ["GET", "/hosts", undefined],
      ["POST", "/device_authorizations/approve", { user_code: "AAAA-AAAA", user_id: own.self }],
    ] as const)
      assertError(await own.admin.call(method, ADMIN + path, body), 403, "permission_error", {
        message: "The token does not have the scope 'operator'. Only operator tokens have it.",
      });
    assertError(await own.post("/erasures", { organization_id: own.id }), 403, "permission_error", {
      message: "Only the operator can erase an organization. An admin can erase users of it.",
    });
    for (const [path, body] of [
      [`/users/${other.self}`, { role: "member" }],
      [`/users/${other.self}/disable`, undefined],
      ["/users", { email: "spy@example.com", organization_id: other.id }],
      ["/tokens", { user_id: other.self }],
      [`/organizations/${other.id}`, { name: "taken" }],
      [`/retention/${other.id}`, { files: 1 }],
      ["/erasures", { user_id: other.self }],
    ] as const)
      assertError(await own.post(path, body), 403, "permission_error", { message: /has no access to/ });
    for (const noun of [
      "users",
      "organizations",
      "service_accounts",
      "tokens",
      "erasures",
      "audit_entries",
    ]) {
      assertError(
        await own.admin.get(`${ADMIN}/${noun}?organization_id=${other.id}`),
        403,
        "permission_error",
      );
      const listed = JSON.stringify(await listAll(own.admin, `${ADMIN}/${noun}`));
      assert.ok(!listed.includes(other.id) && !listed.includes("beyond"), noun);
    }
    const exported = await (
      await fetch(`${berth.url}${ADMIN}/audit_entries/export`, { headers: own.admin.headers() })
    ).text();
    assert.ok(exported.includes(own.id) && !exported.includes(other.id));
    assert.deepEqual((await own.get(`/users?email=admin@beyond.example.com`)).data, []);
    assert.deepEqual((await own.get(`/tokens?user_id=${other.self}`)).data, []);
  },
);

covers(
  ["organization-admin-rights"],
  "administration: not for members, service accounts, and tokens without the scope; and no longer for whoever is no admin",
  async () => {
    const { id: organization_id, admin, user, self } = await organization("rights");
    const member = await berth.client({ org: "rights", user: "member@rights.example.com" });
    const account = await berth.client({ org: "rights", user: "bot@rights.example.com", kind: "sat" });
    for (const caller of [member, account])
      for (const path of ["/users", "/audit_entries"])
        assertError(await caller.get(ADMIN + path), 403, "permission_error", {
          message: "Only an admin of the organization can administer it.",
        });
    const narrow = async (...scopes: string[]) =>
      new Api(berth.url, (await admin.ok("POST", "/tokens", { name: "narrow", scopes })).token);
    const [reader, writer] = [await narrow("admin:read"), await narrow("admin:write")];
    assert.equal((await reader.get(`${ADMIN}/users`)).status, 200);
    assertError(await reader.post(`${ADMIN}/users/${self}`, { role: "admin" }), 403, "permission_error", {
      message: "The token does not have the scope 'admin:write'.",
    });
    assertError(await writer.get(`${ADMIN}/users`), 403, "permission_error", {
      message: "The token does not have the scope 'admin:read'.",
    });
    assertError(await writer.post(`${ADMIN}/tokens`, { user_id: self }), 403, "permission_error", {
      message: /cannot have the scope '\*'/,
    });
    const wide = { user_id: self, scopes: ["admin:write"], independent: true };
    assertError(await writer.post(`${ADMIN}/tokens`, wide), 403, "permission_error", { message: /'\*'/ });
    const kept = await admin.ok("POST", `${ADMIN}/tokens`, { ...wide, name: "kept" });
    assert.deepEqual([kept.independent, kept.expires_at], [true, null]);

    const second = await user("second", "admin");
    const { token } = await operator.ok("POST", `${ADMIN}/tokens`, { user_id: second.id });
    const asSecond = new Api(berth.url, token);
    assert.equal((await asSecond.get(`${ADMIN}/users`)).status, 200);
    await admin.ok("POST", `${ADMIN}/users/${second.id}`, { role: "member" });
    assertError(await asSecond.get(`${ADMIN}/users`), 403, "permission_error");
    await admin.ok("POST", `${ADMIN}/users/${second.id}/disable`);
    assertError(await refusedSoon(() => asSecond.get(`${ADMIN}/users`)), 401, "authentication_error");
    const created = { email: "third@rights.example.com", organization_id };
    const before = (await admin.ok("GET", `${ADMIN}/tokens`)).data.length;
    const short = new Date(Date.now() + 3_600_000).toISOString();
    const brief = new Api(
      berth.url,
      (await admin.ok("POST", "/tokens", { name: "brief", expires_at: short })).token,
    );
    const third = await brief.ok("POST", `${ADMIN}/users`, created);
    const descendant = await brief.ok("POST", `${ADMIN}/tokens`, { user_id: third.id });
    assert.deepEqual([descendant.expires_at, typeof descendant.parent_id], [short, "string"]);
    assert.equal((await admin.ok("GET", `${ADMIN}/tokens`)).data.length, before + 2);
  },
);

covers(
  ["organization-admin-last"],
  "the only admin: neither disabled, nor made a member, nor erased by an admin, and one of two who do it at once stays",
  async () => {
    const { id, self, post, made, user, get, admin } = await organization("last");
    const disabled = await user("away", "admin");
    await operator.ok("POST", `${ADMIN}/users/${disabled.id}/disable`);
    for (const [path, body] of [
      [`/users/${self}`, { role: "member" }],
      [`/users/${self}/disable`, undefined],
      ["/erasures", { user_id: self }],
    ] as const)
      assertError(await post(path, body), 409, "conflict_error", {
        message:
          "'admin@last.example.com' is the only admin of the organization. Make another user an admin first.",
      });
    assert.equal((await admin.get("/agents")).status, 200);
    assert.deepEqual((await get("/erasures")).data, []);

    const second = await user("second", "admin");
    const { token } = await made("/tokens", { user_id: second.id });
    const asSecond = new Api(berth.url, token);
    const answers = await Promise.all([
      post(`/users/${second.id}`, { role: "member" }),
      asSecond.post(`${ADMIN}/users/${self}`, { role: "member" }),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.filter((status) => status === 200).length === 1, `${statuses}`);
    assert.ok([403, 409].includes(Math.max(...statuses)), `${statuses}`);
    const users = await listAll(operator, `${ADMIN}/users?organization_id=${id}`);
    assert.equal(users.filter(({ role, disabled_at }) => role === "admin" && disabled_at === null).length, 1);
    // An operator may, and can make another admin.
    for (const one of users.filter(({ role }) => role === "admin"))
      await operator.ok("POST", `${ADMIN}/users/${one.id}`, { role: "member" });
  },
);

covers(
  ["organization-admin-audit"],
  "audit log of an organization: who administered and from where, filtered, and exported as JSON lines and CSV",
  async () => {
    const { id: organization_id, admin, self, made, get } = await organization("audit");
    // Names of spreadsheets' formulas, which members can choose.
    const email = '=cmd|"x"@audit.example.com';
    const user = await made("/users", { email, organization_id });
    const bot = await made("/service_accounts", { name: "bot", organization_id });
    const { token } = await made("/tokens", { service_account_id: bot.id });
    await new Api(berth.url, token).ok("POST", "/agents", { name: "a", model: "rehearsal/steps" });
    const ofUser = await made("/tokens", { user_id: user.id });
    await new Api(berth.url, ofUser.token).ok("POST", "/agents", { name: "b", model: "rehearsal/steps" });
    const [entry] = (await get(`/audit_entries?resource=${user.id}&operation=adminUsers`)).data;
    assert.deepEqual(
      [entry.operation, entry.actor_type, entry.actor_id, entry.actor, entry.client],
      ["adminUsers.create", "user", self, "admin@audit.example.com", "127.0.0.1"],
    );
    const [made_] = (await get("/audit_entries?operation=adminTokens&limit=1")).data;
    assert.deepEqual(made_.resources, [ofUser.id, user.id]);
    const ofBot = (await get(`/audit_entries?service_account_id=${bot.id}`)).data;
    assert.deepEqual(
      ofBot.map(({ operation }: AnyJson) => operation),
      ["agents.create"],
    );

    const all = await listAll(admin, `${ADMIN}/audit_entries`);
    const download = async (query: string) => {
      const response = await fetch(`${berth.url}${ADMIN}/audit_entries/export?${query}`, {
        headers: admin.headers(),
      });
      assert.equal(response.status, 200);
      return response;
    };
    const lines = await download("");
    assert.match(lines.headers.get("content-type") ?? "", /^application\/x-ndjson/);
    const text = await lines.text();
    assert.deepEqual(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      all,
    );
    const csv = await download("format=csv");
    assert.match(csv.headers.get("content-disposition") ?? "", /attachment; filename="audit-log\.csv"/);
    const rows = (await csv.text()).split("\r\n");
    assert.equal(rows[0]?.split(",")[0], "id");
    assert.equal(rows.length, all.length + 2);
    assert.ok(
      rows.some((row) => row.includes(`,"'=cmd|""x""@audit.example.com",`)),
      rows.join("\n"),
    );
    assert.ok(rows.every((row) => !row.includes(',"=') && !row.includes(",=")));
    const few = await (await download(`user_id=${user.id}&format=jsonl`)).text();
    assert.equal(JSON.parse(few).operation, "agents.create");
    const since = encodeURIComponent(entry.created_at);
    const earlier = await (await download(`created_at[lt]=${since}`)).text();
    assert.ok(earlier.trimEnd().split("\n").length < all.length);
    assertError(await admin.get(`${ADMIN}/audit_entries/export?format=xls`), 400, "invalid_request_error", {
      param: "format",
    });
    const printed = await berth.command("admin", "audit", "--org", "audit", "--format", "csv");
    assert.ok(printed.includes("'=cmd|"));
  },
);
