import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseId } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import type { RetentionDays } from "@berth/store/names";
import { storeRetention } from "@berth/store/retention";
import { pino } from "pino";
import { type Caller, testApp, type Wire } from "../../test-support/http.ts";
import { applyRetention } from "./apply-retention.ts";

const SIGNAL = new AbortController().signal;
const HOUR_MS = 3_600_000;

async function house(t: TestContext) {
  const app = await testApp(t);
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const blobs = await openDiskBlobs(app.blobsDir);
  const lines: Wire[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return {
    ...app,
    /** The messages of the log, each with its count. */
    logged: () => lines.map(({ msg, deleted, sessions }) => [msg, { deleted, sessions }]),
    owner,
    blobs,
    session: (fields: object = {}) =>
      owner.made("/sessions", { agent: agent.id, environment_id: environment.id, ...fields }),
    /** Applies retention. With a day of zero milliseconds, everything that exists is too old. */
    apply: (defaults: RetentionDays, dayMs = 0, signal = SIGNAL) =>
      applyRetention({ db: app.db, blobs, log, defaults, dayMs }, signal),
  };
}

async function set(db: { write: Wire }, session: Wire, change: string): Promise<void> {
  await db.write.query({
    text: `update sessions set ${change} where id = $1`,
    values: [parseId("session", session.id)],
  });
}

async function eventTypes(owner: Caller, session: Wire): Promise<string[]> {
  const { body } = await owner.get(`/sessions/${session.id}/events`);
  return body.data.map(({ type }: Wire) => type);
}

async function operations(db: { read: Wire }): Promise<string[]> {
  const { rows } = await db.read.query({
    text: "select operation || ' ' || cardinality(resources) as said from audit_entries where actor_type = 'service' order by id",
  });
  return rows.map(({ said }: Wire) => said);
}

test("sessions: those in which nothing happened for so long are deleted, but none that runs or is held", async (t) => {
  const { db, owner, session, apply } = await house(t);
  const [idle, archived, running, held] = [
    await session(),
    await session(),
    await session(),
    await session(),
  ];
  await owner.post(`/sessions/${archived.id}/archive`);
  await set(db, running, "status = 'running'");
  await set(db, held, "lease_owner = 'worker', lease_until = now()");
  await apply({ sessions: 1 }, HOUR_MS);
  assert.deepEqual(await operations(db), [], "none is so old");
  await apply({ sessions: 1 });
  const statuses = await Promise.all(
    [idle, archived, running, held].map(async ({ id }) => (await owner.get(`/sessions/${id}`)).status),
  );
  assert.deepEqual(statuses, [404, 404, 200, 200]);
  assert.deepEqual(await operations(db), ["retention sessions 2"]);
});

test("sessions: more than one batch, each with its entry in the audit log", async (t) => {
  const { db, session, apply } = await house(t);
  await Promise.all(Array.from({ length: 103 }, () => session()));
  await apply({ sessions: 1 });
  assert.deepEqual(await operations(db), ["retention sessions 100", "retention sessions 3"]);
});

test("events: those of ended sessions go, all of them, and the log says so; followers go on behind them", async (t) => {
  const { db, owner, session, apply } = await house(t);
  const [live, ended] = [await session(), await session()];
  await owner.post(`/sessions/${ended.id}/terminate`);
  await db.write.query({
    text: `with session as (update sessions set last_seq = last_seq + 11000 where id = $1 returning last_seq)
      insert into events (session_id, seq, id, type, body, processed_at)
      select $1, session.last_seq - 11000 + n, gen_random_uuid(), 'session.status_running', '{}', now()
      from session, generate_series(1, 11000) as n`,
    values: [parseId("session", ended.id)],
  });
  const before = await eventTypes(owner, live);
  await apply({ events: 1 }, HOUR_MS);
  assert.ok((await eventTypes(owner, ended)).length > 1);
  await apply({ events: 1 });
  await apply({ events: 1 });
  assert.deepEqual(await eventTypes(owner, ended), ["session.events_deleted"]);
  assert.deepEqual(await eventTypes(owner, live), before);
  assert.equal((await owner.get(`/sessions/${ended.id}`)).body.status, "terminated");
  assert.deepEqual(await operations(db), ["retention events 1"], "once");
});

test("events: a service that stops does not wait until all of a long log are deleted; the next run goes on", async (t) => {
  const { db, session, owner, apply } = await house(t);
  const ended = await session();
  await owner.post(`/sessions/${ended.id}/terminate`);
  const id = parseId("session", ended.id);
  await db.write.query({
    text: `insert into events (session_id, seq, id, type, body, processed_at)
      select $1, 100 + n, gen_random_uuid(), 'session.status_running', '{}', now() from generate_series(1, 15000) as n`,
    values: [id],
  });
  await db.write.query({ text: "update sessions set last_seq = 20000 where id = $1", values: [id] });
  let checks = 0;
  const stopping = {
    get aborted() {
      checks += 1;
      return checks > 3;
    },
  } as AbortSignal;
  await apply({ events: 1 }, 0, stopping);
  const left = async () =>
    (await db.read.query({ text: "select from events where session_id = $1", values: [id] })).rowCount;
  assert.ok((await left()) >= 10_000, `${await left()}`);
  assert.deepEqual(await operations(db), []);
  await apply({ events: 1 });
  assert.equal(await left(), 1);
  assert.deepEqual(await operations(db), ["retention events 1"]);
});

test("files: those that no active session has go, with their contents unless another file has the same", async (t) => {
  const { db, owner, blobs, session, apply } = await house(t);
  const upload = async (content: string) => (await owner.upload(content)).body;
  const [unused, mounted, formerly] = [await upload("one"), await upload("two"), await upload("three")];
  const pending = await owner.made("/files", { filename: "later.txt" });
  await session({ resources: [{ type: "file", file_id: mounted.id }] });
  const ended = await session({ resources: [{ type: "file", file_id: formerly.id }] });
  await owner.post(`/sessions/${ended.id}/terminate`);
  await apply({ files: 1 });
  const left = (await owner.get("/files")).body.data.map(({ id }: Wire) => id);
  assert.deepEqual(left.toSorted(), [mounted.id, pending.id].toSorted());
  const contents: string[] = [];
  for await (const names of blobs.names()) contents.push(...names);
  assert.deepEqual(contents, [mounted.sha256]);
  assert.equal((await owner.get(`/files/${unused.id}`)).status, 404);
  assert.deepEqual(await operations(db), ["retention files 2"]);
});

test("the log says what was deleted: sessions, files, or only the events of sessions", async (t) => {
  const { owner, session, apply, logged } = await house(t);
  await owner.upload("old");
  const ended = [await session(), await session()];
  for (const { id } of ended) await owner.post(`/sessions/${id}/archive`);
  await apply({ events: 1 });
  for (const { id } of ended) assert.equal((await owner.get(`/sessions/${id}`)).status, 200);
  await apply({ sessions: 1 });
  await apply({ files: 1 });
  assert.deepEqual(logged(), [
    ["the events of sessions were deleted after their retention", { deleted: undefined, sessions: 2 }],
    ["sessions were deleted after their retention", { deleted: 2, sessions: undefined }],
    ["files were deleted after their retention", { deleted: 1, sessions: undefined }],
  ]);
});

test("an organization's own days count instead of the settings', also that it keeps without end", async (t) => {
  const { db, owner, session, apply, caller } = await house(t);
  const other = await caller({ org: "other", email: "bob@example.com" });
  const kept = (await other.upload("kept")).body;
  const gone = (await owner.upload("gone")).body;
  await session();
  const { rows } = await db.read.query<{ id: string }>({
    text: "select id from organizations where name = 'other'",
  });
  await storeRetention(db.write, rows[0]?.id ?? "", "files", null);
  await apply({ files: 1 });
  assert.equal((await other.get(`/files/${kept.id}`)).status, 200);
  assert.equal((await owner.get(`/files/${gone.id}`)).status, 404);
  await storeRetention(db.write, rows[0]?.id ?? "", "files", 1);
  await apply({});
  assert.equal((await other.get(`/files/${kept.id}`)).status, 404);
});
