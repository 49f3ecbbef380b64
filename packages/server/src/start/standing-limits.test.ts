// Subject: the limits of a service without own settings, which keep one owner from taking all resources.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Caller, type Reply, type TestApp, testApp } from "@berth/api/test-support/http";
import { ownRates } from "@berth/store/limits";
import { type Seed, seedSession } from "@berth/store/test-support/runs";
import { defaultLimits } from "../config/default-limits.ts";
import { readConfig } from "../config/read-config.ts";

const TERABYTE = 1_000_000_000_000;
const MESSAGE = { type: "user.message", content: [{ type: "text", text: "hello" }] };

interface Owners {
  service: TestApp;
  ada: Caller;
  /** A user of another organization. */
  bob: Caller;
  /** Body of a request for a new session of ada's. */
  session: { agent: string; environment_id: string };
  /** UUID of ada. */
  adaId: string;
}

/**
 * Starts a service with only the settings in `variables`, a volume of 6 TB, and a stopped clock for rates.
 */
async function owners(t: TestContext, variables: Record<string, string> = {}): Promise<Owners> {
  const directory = mkdtempSync(join(tmpdir(), "berth-limits-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const config = readConfig(variables, { "data-dir": directory });
  const limits = defaultLimits(config, () => 6 * TERABYTE);
  const service = await testApp(t, { limits, rates: ownRates(() => 0) });
  const [ada, bob] = [
    await service.caller(),
    await service.caller({ org: "other", email: "bob@example.com" }),
  ];
  const agent = await ada.made("/agents", { name: "a", model: { id: "rehearsal/steps" } });
  const environment = await ada.made("/environments", { name: "e" });
  const session = { agent: agent.id, environment_id: environment.id };
  // Not created through the API, which would then cache for two seconds that ada has one session.
  const { rows } = await service.db.write.query<Seed & { id: string }>({
    text: `select a.owner_id as id, a.organization_id as "organizationId", a.id as "agentId", e.id as "environmentId"
      from agents a, environments e`,
  });
  const [row] = rows;
  assert.ok(row);
  await seedSession(service.db.write, row);
  await service.db.write.query({
    text: "update sessions set owner_type = 'user', owner_id = $1",
    values: [row.id],
  });
  return { service, ada, bob, session, adaId: row.id };
}

function assertRefused({ status, headers, body }: Reply, message: string, retryAfter?: string): void {
  assert.deepEqual([status, body.error?.type, body.error?.message], [429, "rate_limit_error", message]);
  assert.equal(headers["retry-after"], retryAfter);
}

async function makeSessionOf(caller: Caller): Promise<Reply> {
  const agent = await caller.made("/agents", { name: "a", model: { id: "rehearsal/steps" } });
  const environment = await caller.made("/environments", { name: `${crypto.randomUUID()}` });
  return await caller.post("/sessions", { agent: agent.id, environment_id: environment.id });
}

test("requests: one user gets the burst, then 429 with a wait, and another organization is not touched", async (t) => {
  const { ada, bob } = await owners(t);
  let taken = 0;
  let reply = await ada.get("/agents?limit=1");
  while (reply.status === 200 && taken < 4_000) {
    taken += 1;
    reply = await ada.get("/agents?limit=1");
  }
  assertRefused(reply, "The user's limit of 300 requests a second is reached.", "1");
  assert.ok(taken <= 3_000, `${taken}`);
  for (let more = 0; more < 20; more += 1) assert.equal((await bob.get("/agents")).status, 200);
});

test("requests: none turns the limit off", async (t) => {
  const { ada } = await owners(t, { BERTH_USER_LIMITS: "requests_per_second=none" });
  for (let count = 0; count < 3_200; count += 1)
    assert.equal((await ada.get("/agents?limit=1")).status, 200, `${count}`);
});

const [STATEMENTS, PER_STATEMENT] = [9, 2_222];

/** Creates ada's sessions up to one below the limit, in batches that are fast enough on slow machines. */
async function fillSessions({ service, adaId }: Owners): Promise<void> {
  for (let count = 0; count < STATEMENTS; count += 1)
    await service.db.write.query({
      text: `insert into sessions
          (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, environment_variables)
        select gen_random_uuid(), organization_id, owner_type, owner_id, agent_id, agent, environment_id, '{}'
        from (select * from sessions where owner_id = $1 limit 1) one, generate_series(1, $2)`,
      values: [adaId, PER_STATEMENT],
    });
}

test("open sessions: of two at the last place one is made, and another organization makes its own", async (t) => {
  const found = await owners(t);
  const { ada, bob, session } = found;
  await fillSessions(found);
  const last = await Promise.all([ada.post("/sessions", session), ada.post("/sessions", session)]);
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [200, 429]);
  assertRefused(
    last.find(({ status }) => status === 429) ?? assert.fail(),
    "The user's limit of 20000 open sessions is reached.",
  );
  assert.equal((await makeSessionOf(bob)).status, 200);
});

test("open sessions: none turns the limit off", async (t) => {
  const found = await owners(t, { BERTH_USER_LIMITS: "open_sessions=none" });
  await fillSessions(found);
  for (let count = 0; count < 3; count += 1)
    assert.equal((await found.ada.post("/sessions", found.session)).status, 200);
});

/** Creates a file and a disk of ada's that leave ten bytes of a user's limit. */
async function fillBytes({ service, adaId }: Owners): Promise<void> {
  const bytes = TERABYTE / 2 - 10;
  await service.db.write.query({
    text: `insert into files (id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, status)
      select gen_random_uuid(), organization_id, owner_type, owner_id, 'big', 'text/plain', $2, 'failed'
      from sessions where owner_id = $1`,
    values: [adaId, bytes],
  });
  await service.db.write.query({
    text: `insert into disk_usage (session_id, organization_id, owner_id, bytes)
      select id, organization_id, owner_id, $2 from sessions where owner_id = $1`,
    values: [adaId, bytes + 10],
  });
}

const FULL_FILES = `The user's limit of ${TERABYTE / 2} bytes of files is reached.`;
const FULL_DISKS = `The user's limit of ${TERABYTE / 2} bytes of session disks is reached.`;

test("bytes: files and disks are limited, and another organization is not touched", async (t) => {
  const found = await owners(t);
  const { ada, bob, session } = found;
  await fillBytes(found);
  assert.equal((await ada.upload("123456789", "fits")).status, 200);
  assertRefused(await ada.upload("12345", "does not fit"), FULL_FILES);
  assertRefused(await ada.post("/files", { filename: "announced", size_bytes: 5 }), FULL_FILES);
  assertRefused(await ada.post("/sessions", { ...session, initial_events: [MESSAGE] }), FULL_DISKS);
  assert.equal((await bob.upload("12345", "fits")).status, 200);
  const { body } = await makeSessionOf(bob);
  assert.equal((await bob.post(`/sessions/${body.id}/events`, { events: [MESSAGE] })).status, 200);
});

test("bytes: none turns all limits off", async (t) => {
  const found = await owners(t, { BERTH_USER_LIMITS: "none", BERTH_ORGANIZATION_LIMITS: "none" });
  const { ada, session } = found;
  await fillBytes(found);
  assert.equal((await ada.upload("12345678901234567890", "fits")).status, 200);
  assert.equal((await ada.post("/sessions", { ...session, initial_events: [MESSAGE] })).status, 200);
});
