import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatId, newUuid, parseId } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import { WHOLE } from "@berth/store/db";
import { keepContents } from "@berth/store/files";
import { SecretBox } from "@berth/store/secrets";
import { addSigningKey } from "@berth/store/signing";
import { silentLog } from "@berth/store/test-support/database";
import { openPage } from "../../test-support/console.ts";
import { type Caller, callerOf, testApp, type Wire } from "../../test-support/http.ts";
import { continueErasures } from "./continue-erasures.ts";
import { type Erasure, requestErasure, selectErasures } from "./erasure-store.ts";

const SIGNAL = new AbortController().signal;
const MANUAL = "---\nname: a\ndescription: b\n---\n";

async function house(t: TestContext) {
  const app = await testApp(t);
  const blobs = await openDiskBlobs(app.blobsDir);
  const parts = { db: app.db, blobs, log: silentLog };
  /** Requests an erasure as the route does: from then on this process accepts none of the ended tokens. */
  const request = async (
    subject_type: Erasure["subject_type"],
    subject_id: string,
    organization_id: string,
  ): Promise<Erasure> => {
    const subject = { subject_type, subject_id, organization_id };
    const erasure = await requestErasure(app.db.write, { id: newUuid(), ...subject });
    app.app.recentTokens.clear();
    return erasure;
  };
  return {
    ...app,
    blobs,
    request,
    go: (signal = SIGNAL, sinceMs = 0) => continueErasures(parts, signal, sinceMs),
    /** Deletes marked sessions, as workers do. */
    removeSessions: () => app.db.write.query({ text: "delete from sessions where deleted_at is not null" }),
    async erase(email: string): Promise<Erasure> {
      const { rows } = await app.db.read.query<{ id: string; organization_id: string }>({
        text: "select id, organization_id from users where email = $1",
        values: [email],
      });
      const [user] = rows;
      assert.ok(user);
      return await request("user", user.id, user.organization_id);
    },
    async receipt(): Promise<Erasure> {
      const [erasure] = await selectErasures(app.db.read, WHOLE);
      assert.ok(erasure);
      return erasure;
    },
  };
}

/** Creates an object of every kind that can have an owner. */
async function makeEverything(caller: Caller): Promise<{ agent: Wire; environment: Wire; session: Wire }> {
  const agent = await caller.made("/agents", { name: "a", model: "rehearsal/steps", system: "canary" });
  await caller.made(`/agents/${agent.id}`, { version: 1, description: "canary" });
  const environment = await caller.made("/environments", { name: "canary" });
  const store = await caller.made("/memory_stores", { name: "canary" });
  await caller.made(`/memory_stores/${store.id}/memories`, { path: "/a.md", content: "canary" });
  const vault = await caller.made("/vaults", { display_name: "canary" });
  await caller.made(`/vaults/${vault.id}/credentials`, {
    auth: {
      ...{ type: "environment_variable", secret_name: "CANARY", secret_value: "canary-secret" },
      networking: { allowed_hosts: ["example.com"] },
    },
  });
  await caller.made("/webhooks", {
    ...{ name: "canary", url: "https://canary.example/hook", enabled_events: ["session.created"] },
  });
  await caller.made("/connections", {
    ...{ display_name: "canary", auth: { type: "gitlab", token: "canary-token" } },
  });
  const file = (await caller.upload("canary")).body;
  const skill = await caller.form("/skills", [{ name: "files[]", filename: "a/SKILL.md", content: MANUAL }]);
  assert.equal(skill.status, 200, skill.text);
  const session = await caller.made("/sessions", {
    ...{ agent: agent.id, environment_id: environment.id, title: "canary", vault_ids: [vault.id] },
    resources: [
      { type: "file", file_id: file.id },
      { type: "memory_store", memory_store_id: store.id },
    ],
  });
  const sent = await caller.post(
    `/sessions/${session.id}/events`,
    { events: [{ type: "user.message", content: [{ type: "text", text: "canary" }] }] },
    { "idempotency-key": "canary" },
  );
  assert.equal(sent.status, 200, sent.text);
  const deployment = await caller.made("/deployments", {
    ...{ name: "canary", agent: agent.id, environment_id: environment.id },
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "canary" }] }],
    schedule: { type: "cron", expression: "0 0 1 1 *", timezone: "UTC" },
    resources: [{ type: "git_repository", url: "https://git.example/a/b", password: "canary-token" }],
  });
  await caller.made(`/deployments/${deployment.id}/triggers`, {
    ...{ type: "slack", name: "canary", allowed_users: ["canary"], token: "canary-token" },
  });
  return { agent, environment, session };
}

/** Returns the columns that contain one of the texts in some row. */
async function columnsWith(db: { read: Wire }, texts: readonly string[]): Promise<string[]> {
  const { rows } = await db.read.query({
    text: `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = current_schema() and data_type <> 'bytea'`,
  });
  const found: string[] = [];
  for (const { table, column } of rows) {
    const { rows: some } = await db.read.query({
      text: `select 1 from "${table}" where "${column}"::text ilike any($1::text[]) limit 1`,
      values: [texts.map((text) => `%${text}%`)],
    });
    if (some.length > 0) found.push(`${table}.${column}`);
  }
  return found.toSorted();
}

test("an admin: tokens that were created with theirs end with them, and independent ones are named and go on", async (t) => {
  const { app, caller, erase, go, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com", role: "admin" });
  const bob = await caller({ email: "bob@example.com", role: "admin" });
  const made = async (by: Caller, name: string, fields = {}) =>
    callerOf(app, (await by.made("/tokens", { kind: "sat", name, scopes: ["*"], ...fields })).token);
  const own = callerOf(app, (await ada.made("/tokens", { kind: "pat", name: "own", scopes: ["*"] })).token);
  const dependent = await made(ada, "deploy");
  const grandchild = await made(own, "deploy");
  const independent = await made(ada, "ci", { independent: true });
  const ofBob = await made(bob, "deploy");
  await erase("ada@example.com");
  await go();
  const { deleted, completed_at } = await receipt();
  assert.ok(completed_at);
  assert.deepEqual([deleted.tokens, deleted.revoked_tokens], [2, 2]);
  for (const ended of [ada, own, dependent, grandchild])
    assert.equal((await ended.get("/agents")).status, 401);
  for (const left of [independent, ofBob, bob]) assert.equal((await left.get("/agents")).status, 200);
});

test("a user: nothing of them is left in any table but ids in the audit log and the receipt", async (t) => {
  const { db, caller, blobs, erase, go, removeSessions, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const bob = await caller({ email: "bob@example.com" });
  await makeEverything(ada);
  const others = await makeEverything(bob);
  const { subject_id: id } = await erase("ada@example.com");
  assert.equal((await ada.get("/sessions")).status, 401, "no token is accepted from the request on");
  await go();
  assert.equal((await receipt()).completed_at, null, "a worker has not removed the disk yet");
  await removeSessions();
  await go();
  const { completed_at, deleted, handed_over } = await receipt();
  assert.ok(completed_at);
  assert.deepEqual(handed_over, []);
  assert.deepEqual(deleted, {
    ...{ sessions: 1, events: 1, files: 1, file_bytes: 6, skills: 1, memory_stores: 1, memories: 1 },
    ...{
      vaults: 1,
      vault_credentials: 1,
      connections: 1,
      webhooks: 1,
      webhook_deliveries: 1,
      deployments: 1,
      agents: 1,
      environments: 1,
      tokens: 1,
      users: 1,
    },
  });
  assert.deepEqual(await columnsWith(db, [id, formatId("user", id), "ada@example.com"]), [
    "audit_entries.actor_id",
    "audit_entries.resources",
    "erasures.subject_id",
  ]);
  const contents: string[] = [];
  for await (const names of blobs.names()) contents.push(...names);
  assert.equal(contents.length, 2, "the other user has files with the same contents");
  assert.equal((await bob.get(`/sessions/${others.session.id}`)).status, 200);
});

test("a user who answered in sessions of others: the name is nowhere any more, and the id stays in the events", async (t) => {
  const { db, caller, erase, go, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com", role: "admin" });
  const bob = await caller({ email: "bob@example.com" });
  const { session } = await makeEverything(bob);
  const events = [{ type: "user.message", content: [{ type: "text", text: 'a "quoted" text' }] }];
  await ada.post(`/sessions/${session.id}/events`, { events: [...events, { type: "user.interrupt" }] });
  await bob.post(`/sessions/${session.id}/events`, { events });
  const rules = `/sessions/${session.id}/confirmation_rules`;
  const rule = await ada.made(rules, { tool_name: "Bash" });
  await ada.made(rules, { tool_name: "Write" });
  await ada.delete(`${rules}/${rule.id}`);
  const log = async (): Promise<Wire[]> => (await bob.get(`/sessions/${session.id}/events`)).body.data;
  const before = await log();
  const { subject_id: id } = await erase("ada@example.com");
  await go();
  const { completed_at, deleted } = await receipt();
  assert.ok(completed_at);
  assert.equal(deleted.names, 5, "of two inputs, two rules that were added, and one that was removed");
  assert.deepEqual(await columnsWith(db, ["ada@example.com"]), []);
  const user = formatId("user", id);
  const forgotten = before.map((event) =>
    event.created_by?.id === user ? { ...event, created_by: { ...event.created_by, name: null } } : event,
  );
  assert.deepEqual(await log(), forgotten);
  assert.equal(before.filter(({ created_by: by }) => by?.name === "bob@example.com").length, 2);
  assert.deepEqual((await bob.get(rules)).body.data[0].created_by, {
    ...{ type: "user", id: user, name: null, via: "personal_access_token" },
  });
});

test("an organization: nothing of it is left, and other organizations have all of theirs", async (t) => {
  const { db, caller, blobs, request, go, removeSessions, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com", org: "acme" });
  const account = await caller({ email: "ci@example.com", org: "acme", kind: "sat" });
  const bob = await caller({ email: "bob@example.com", org: "other" });
  await makeEverything(ada);
  await makeEverything(account);
  await makeEverything(bob);
  await db.write.query({ text: "update sessions set output_tokens = 7" });
  const { rows } = await db.read.query<{ id: string }>({
    text: "select id from organizations where name = 'acme'",
  });
  const id = rows[0]?.id ?? "";
  await addSigningKey(db.write, new SecretBox(new Uint8Array(32)), id);
  await request("organization", id, id);
  assert.deepEqual([(await ada.get("/files")).status, (await account.get("/files")).status], [401, 401]);
  await go();
  await removeSessions();
  await go();
  const { completed_at, deleted } = await receipt();
  assert.ok(completed_at);
  assert.deepEqual(
    [deleted.sessions, deleted.users, deleted.service_accounts, deleted.organizations, deleted.usage_days],
    [2, 2, 1, 1, 2],
  );
  assert.deepEqual(await columnsWith(db, [id, formatId("organization", id), "acme"]), [
    "audit_entries.organization_id",
    "audit_entries.resources",
    "erasures.organization_id",
    "erasures.subject_id",
  ]);
  let contents = 0;
  for await (const names of blobs.names()) contents += names.length;
  assert.equal(contents, 2);
});

test("what a user's sessions used stays in the sums of the organization, without the user and the sessions", async (t) => {
  const { db, caller, erase, go, removeSessions, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const admin = await caller({ email: "admin@example.com", role: "admin" });
  for (const one of [ada, admin]) await makeEverything(one);
  await db.write.query({ text: "update sessions set output_tokens = 7" });
  await db.write.query({ text: "update session_usage set day = day - 1, previous_day = previous_day - 1" });
  await db.write.query({ text: "update sessions set output_tokens = 9" });
  const { subject_id: id } = await erase("ada@example.com");
  const { rows } = await db.read.query<{ id: string }>({
    text: "select id from sessions where owner_id = $1",
    values: [id],
  });
  await go();
  await removeSessions();
  await go();
  assert.equal((await receipt()).deleted.usage_days, 2);
  const used = await columnsWith(db, [id, rows[0]?.id ?? assert.fail()]);
  assert.deepEqual(
    used.filter((column) => column.startsWith("session_usage")),
    [],
  );
  const { total, data } = (await admin.get("/usage?group_by=user")).body;
  assert.deepEqual([total.sessions, total.usage.output_tokens], [2, 18]);
  assert.deepEqual(
    data.map(({ key, sessions }: Wire) => [key?.slice(0, 4) ?? null, sessions]).toSorted(),
    [
      [null, 1],
      ["usr_", 1],
    ].toSorted(),
  );
});

test("agents and environments that sessions of others use: the organization has them, archived", async (t) => {
  const { db, caller, erase, go, removeSessions, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const admin = await caller({ email: "admin@example.com", role: "admin" });
  const account = await caller({ email: "ci@example.com", kind: "sat" });
  const { agent, environment } = await makeEverything(ada);
  await account.made("/environments", { name: "canary" });
  const session = await admin.made("/sessions", { agent: agent.id, environment_id: environment.id });
  await erase("ada@example.com");
  await go();
  await removeSessions();
  await go();
  const { completed_at, handed_over } = await receipt();
  assert.ok(completed_at);
  assert.deepEqual(
    handed_over.map((one) => formatId(one.type, one.id)),
    [agent.id, environment.id],
  );
  assert.equal((await admin.get(`/sessions/${session.id}`)).body.agent.id, agent.id);
  for (const path of [`/agents/${agent.id}`, `/environments/${environment.id}`]) {
    const { owner_type, archived_at } = (await account.get(path)).body;
    assert.equal(owner_type, "organization");
    assert.notEqual(archived_at, null);
  }
  const { rows } = await db.read.query<{ name: string }>({
    text: "select name from environments where id = $1",
    values: [parseId("environment", environment.id)],
  });
  assert.equal(
    rows[0]?.name,
    parseId("environment", environment.id),
    "the organization has its name already",
  );
});

test("an erasure that was stopped at any point goes on, and counts each thing once", async (t) => {
  const { caller, erase, go, removeSessions, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  for (const _ of [1, 2]) await ada.upload(`${_}`);
  await makeEverything(ada);
  await erase("ada@example.com");
  for (let checks = 1; (await receipt()).completed_at === null; checks += 1) {
    let left = checks;
    const dying = {
      get aborted() {
        return left-- <= 0;
      },
    } as AbortSignal;
    await go(dying);
    await removeSessions();
    assert.ok(checks < 100);
  }
  const { deleted } = await receipt();
  assert.deepEqual([deleted.files, deleted.sessions, deleted.events, deleted.users], [3, 1, 1, 1]);
});

test("an erasure that fails holds no other up", async (t) => {
  const { db, caller, erase, go } = await house(t);
  await caller({ email: "ada@example.com" });
  await caller({ email: "bob@example.com" });
  const failing = await erase("ada@example.com");
  await erase("bob@example.com");
  await db.write.query({ text: "create table holds (user_id uuid references users)" });
  await db.write.query({ text: "insert into holds values ($1)", values: [failing.subject_id] });
  await go();
  const done = async () =>
    (await selectErasures(db.read, WHOLE)).map(({ completed_at }) => completed_at !== null);
  assert.deepEqual(await done(), [true, false]);
  await db.write.query({ text: "drop table holds" });
  await go();
  assert.deepEqual(await done(), [true, true]);
});

test("while a backup keeps contents, the erasure waits for them", async (t) => {
  const { db, caller, erase, go, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  await ada.upload("canary");
  await erase("ada@example.com");
  await db.transaction(async (tx) => {
    await keepContents(tx);
    await go();
    assert.equal((await receipt()).completed_at, null);
  });
  await go();
  assert.ok((await receipt()).completed_at);
});

test("what a request stored that began before: erased by a later look", async (t) => {
  const { db, caller, erase, go, receipt } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  await ada.upload("canary");
  const { subject_id: id, organization_id: organization } = await erase("ada@example.com");
  await go();
  await db.write.query({
    text: `insert into files (id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, status)
      values ($1, $2, 'user', $3, 'late', 'text/plain', 4, 'ready')`,
    values: [newUuid(), organization, id],
  });
  const first = (await receipt()).completed_at;
  await go(SIGNAL, 3_600_000);
  const { deleted, completed_at } = await receipt();
  assert.deepEqual([deleted.files, deleted.file_bytes, completed_at], [2, 10, first]);
});

test("erase a user: sign-ins to the console and the account at an identity provider are gone, too", async (t) => {
  const { app, db, caller, erase, go } = await house(t);
  const owner = await caller();
  await openPage(app).signIn(owner.token);
  await db.write.query({
    text: "insert into user_identities (issuer, subject, user_id) select 'https://login.example', 'ada', id from users",
  });
  await erase("owner@example.com");
  await go();
  for (const table of ["tokens", "user_identities", "users"])
    assert.equal((await db.read.query({ text: `select from ${table}` })).rowCount, 0, table);
});
