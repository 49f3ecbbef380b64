// Subject: the audit log of all operations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAdministration, newUuid, type Operation, operations } from "@berth/contract";
import { newTokenSecret } from "@berth/store/access";
import { type Caller, type Reply, type TestApp, testApp, type Wire } from "../../test-support/http.ts";
import { type Example, examples } from "../../test-support/operation-examples.ts";

const changing: Operation[] = Object.values(operations)
  .flatMap((noun): Operation[] => Object.values(noun))
  // Operations without a token change nothing that has an owner, except the token that has its own test.
  .filter(({ method, readOnly }) => method !== "GET" && !readOnly)
  .filter((operation) => operation.credential !== "none" && !isAdministration(operation));

const AGENT = { name: "audited", model: "rehearsal/steps" };

async function entries({ db }: Pick<TestApp, "db">): Promise<Wire[]> {
  return (await db.write.query<Wire>({ text: "select * from audit_entries order by id" })).rows;
}

async function example(operation: Operation, owner: Caller): Promise<Example> {
  if (operation.method === "PUT") return { ids: [(await owner.made("/files", { filename: "a.txt" })).id] };
  return (await examples[operation.id]?.(owner)) ?? assert.fail(`${operation.id} has no example`);
}

test("audit: every operation that changes something has one entry, of who did it and to what", async (t) => {
  const app = await testApp(t);
  const owner = await app.caller({ role: "admin" });
  const { rows } = await app.db.read.query<Wire>({
    text: "select users.id as actor_id, tokens.id as token_id, users.organization_id from users, tokens",
  });
  for (const operation of changing) {
    const given = await example(operation, owner);
    const before = await entries(app);
    const headers = { "user-agent": "tester/1.0 (canary)", "x-request-id": newUuid() };
    const { status, body, text } = await ask(owner, operation, given, headers);
    assert.ok(status < 300, `${operation.id}: ${text}`);
    const [entry, ...more] = (await entries(app)).slice(before.length);
    assert.deepEqual(more, [], operation.id);
    const { id: _id, created_at: _at, resources, request_id: requestId, ...rest } = entry;
    assert.deepEqual(rest, {
      ...rows[0],
      actor_type: "user",
      operation: operation.id,
      client: "127.0.0.1",
      user_agent: "tester/1.0",
    });
    assert.equal(typeof requestId, "string");
    // Links have no id.
    const about = given.ids ?? (operation.id === "consoleLinks.create" ? [] : [body.id]);
    assert.deepEqual(resources.slice(0, about.length), about, operation.id);
  }
});

test("audit, limits: behind a trusted proxy the client is the one that the proxy names", async (t) => {
  const addressLimits = { requests_per_second: 1, request_burst: 1 };
  const app = await testApp(t, { trustedProxies: ["127.0.0.1"], addressLimits });
  const owner = await app.caller({ role: "admin" });
  const from = (client: string) => ({ "x-forwarded-for": `192.0.2.9, ${client}` });
  assert.equal((await owner.post("/agents", AGENT, from("198.51.100.7"))).status, 200);
  assert.deepEqual(
    (await entries(app)).map(({ client }) => client),
    ["198.51.100.7"],
  );
  const ask = async (client: string) => {
    const headers = { ...from(client), authorization: `Bearer ${newTokenSecret("pat")}` };
    return (await app.app.fastify.inject({ url: "/api/v1/cloud/agents", headers })).statusCode;
  };
  assert.deepEqual([await ask("198.51.100.1"), await ask("198.51.100.1")], [401, 429]);
  assert.equal(await ask("198.51.100.2"), 401);
});

test("audit: without an entry there is no change, and without a change no entry", async (t) => {
  const app = await testApp(t);
  const owner = await app.caller({ role: "admin" });
  const count = async () => (await entries(app)).length;
  const started = await count();
  assert.equal((await owner.post("/agents", { name: "" })).status, 400);
  assert.equal((await owner.post("/agents", AGENT, { "berth-dry-run": "true" })).status, 200);
  assert.equal((await owner.get("/agents")).status, 200);
  assert.equal((await (await app.caller({ scopes: [] })).post("/agents", AGENT)).status, 403);
  assert.equal(await count(), started);
  const key = { "idempotency-key": "once" };
  await owner.post("/agents", AGENT, key);
  await owner.post("/agents", AGENT, key);
  assert.equal(await count(), started + 1);

  const text =
    "alter table audit_entries add constraint refused check (operation <> 'agents.create') not valid";
  await app.db.write.query({ text });
  assert.equal((await owner.post("/agents", AGENT)).status, 500);
  assert.equal((await owner.get("/agents")).body.data.length, 1);
});

test("audit: a content sent in parts has one entry, when the file is ready, and without it the file is not", async (t) => {
  const app = await testApp(t);
  const owner = await app.caller();
  const file = await owner.made("/files", { filename: "a.txt", size_bytes: 4 });
  const send = (bytes: string, range: string) =>
    owner.put(`/files/${file.id}/content`, bytes, { "content-range": `bytes ${range}/4` });
  const received = async () =>
    (await entries(app)).filter(({ operation }) => operation === "files.putContent").length;
  assert.equal((await send("ab", "0-1")).status, 200);
  assert.equal(await received(), 0);
  const refused = "check (operation <> 'files.putContent') not valid";
  await app.db.write.query({ text: `alter table audit_entries add constraint refused ${refused}` });
  assert.equal((await send("cd", "2-3")).status, 500);
  assert.equal((await owner.get(`/files/${file.id}`)).body.status, "pending");
  await app.db.write.query({ text: "alter table audit_entries drop constraint refused" });
  const asked = await owner.put(`/files/${file.id}/content`, "", { "content-range": "bytes */4" });
  assert.equal(asked.body.status, "ready", asked.text);
  assert.equal(await received(), 1);
});

test("audit: the log can only be appended to", async (t) => {
  const app = await testApp(t);
  await (await app.caller()).made("/agents", AGENT);
  const changes = [
    "update audit_entries set operation = 'x'",
    "delete from audit_entries",
    "truncate audit_entries",
  ];
  for (const text of changes) await assert.rejects(app.db.write.query({ text }), /can only be appended to/);
  assert.equal((await entries(app)).at(-1).operation, "agents.create");
});

function ask(
  caller: Caller,
  { method, path }: Operation,
  { ids = [], body, form }: Example,
  headers: Record<string, string>,
): Promise<Reply> {
  const left = [...ids];
  const filled = path.replace("/api/v1/cloud", "").replaceAll(/\{\w+\}/g, () => left.shift() ?? "absent");
  if (method === "PUT") return caller.put(filled, "content", headers);
  if (form !== undefined) return caller.form(filled, form, headers);
  return method === "DELETE" ? caller.delete(filled, headers) : caller.post(filled, body, headers);
}
