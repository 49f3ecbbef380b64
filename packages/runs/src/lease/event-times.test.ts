// Subject: the times of a session's log, whatever clocks its writers have. Before each step the test sets the
// clock of this process. It also sets the last time that the session has of the database's clock.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Draft, LogEntry } from "@berth/agent";
import { minUuidAt, parseId, type SessionEvent } from "@berth/contract";
import type { Lease } from "@berth/store/leases";
import {
  appendInputs,
  appendTerminated,
  appendUpdated,
  listEvents,
  readPage,
  sessionEvent,
} from "@berth/store/session-log";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";
import {
  appendByRun,
  appendIdle,
  appendReclaimed,
  appendRunning,
  appendTakingInputs,
  takeReplies,
} from "./append-events.ts";
import { beginTurn } from "./begin-turn.ts";

const said: Draft = { event: { type: "agent.message", content: [{ type: "text", text: "Yes." }] } };
const request: Draft = { event: { type: "span.model_request_start", model: "m" } };
const end: Draft = { event: { type: "session.status_idle", stop_reason: { type: "end_turn" } } };
const message = { type: "user.message" as const, content: [{ type: "text" as const, text: "Is it?" }] };
const interrupt = { type: "user.interrupt" as const };

interface At {
  db: TestDatabase;
  id: string;
  lease: Lease;
}

/** The steps that may happen to a session. Each returns the events that it reports. */
const STEPS: Record<string, (at: At) => Promise<readonly SessionEvent[]>> = {
  send: async ({ db, id }) => sent(await appendInputs(db.write, id, [message, message])),
  interrupt: async ({ db, id }) => sent(await appendInputs(db.write, id, [interrupt])),
  begin: async ({ db, lease }) => {
    const { running } = await beginTurn(db.write, lease);
    return running === null ? [] : [running.event];
  },
  running: async ({ db, lease }) => told((await appendRunning(db.write, lease)).entries),
  append: async ({ db, lease }) => told((await appendByRun(db.write, lease, [request, said])).entries),
  take: async ({ db, lease }) => told(await appendTakingInputs(db.write, lease, [request])),
  replies: async ({ db, lease }) => told(await takeReplies(db.write, lease)),
  idle: async ({ db, lease }) => told((await appendIdle(db.write, lease, [end])).entries),
  reclaim: async ({ db, lease }) => told((await appendReclaimed(db.write, lease, "inactivity")).entries),
  update: async ({ db, id }) => {
    await appendUpdated(db.write, id, { title: "Another" });
    return [];
  },
};

const clock = fc.oneof(fc.constantFrom(-90_000, 0, 90_000), fc.integer({ min: -1e11, max: 1e11 }));
const step = fc.record({ does: fc.constantFrom(...Object.keys(STEPS)), clock });
/** Seconds by which the database's clock was set back after the last event. */
const former = fc.constantFrom(0, 0, 0, 90);

describe("the times of a log", () => {
  test("any steps by any clocks: they never go back, and each is told as it is read later", async (t) => {
    const { db, from } = await setUp(t);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        former,
        fc.boolean(),
        async (steps, set, ends) => {
          const at = await session(db, from);
          if (set > 0) await setBack(at, set);
          const live = new Map<string, SessionEvent>();
          for (const { does, clock: offset } of steps) {
            t.mock.timers.setTime(START + offset);
            for (const event of (await STEPS[does]?.(at)) ?? []) live.set(event.id, event);
          }
          if (ends) await appendTerminated(db.write, at.id);
          await checkLog(at, live);
        },
      ),
      { numRuns: 60 },
    );
  });

  for (const [skew, offset] of [
    ["ahead", 90_000],
    ["behind", -90_000],
  ] as const) {
    test(`a writer whose clock is 90 s ${skew}: the times of its events are the database's`, async (t) => {
      const { db, from } = await setUp(t);
      const at = await session(db, from);
      const before = await databaseTime(db);
      await STEPS.send?.(at);
      t.mock.timers.setTime(START + offset);
      await STEPS.begin?.(at);
      await STEPS.take?.(at);
      t.mock.timers.setTime(START);
      await STEPS.idle?.(at);
      const after = await databaseTime(db);
      for (const { event } of await readLog(db.read, at.id)) {
        assert.ok(
          Date.parse(event.created_at) >= before && Date.parse(event.created_at) <= after,
          event.type,
        );
        assert.ok(event.processed_at !== null && event.processed_at >= event.created_at, event.type);
      }
    });
  }

  test("two runners of differing clocks take turns on a session; the clock of one is set back within a turn", async (t) => {
    const { db, from } = await setUp(t);
    const at = await session(db, from);
    const live = new Map<string, SessionEvent>();
    for (const [turn, offset] of [90_000, -90_000, 5_000, -3_600_000].entries()) {
      at.lease = await seedLease(db.write, at.id, `runner ${turn}`);
      t.mock.timers.setTime(START + offset);
      for (const does of ["send", "begin", "take", "append", "idle"]) {
        if (does === "append") t.mock.timers.setTime(START - offset);
        for (const event of (await STEPS[does]?.(at)) ?? []) live.set(event.id, event);
      }
    }
    await checkLog(at, live);
  });

  test("writers that wait for each other: the one that writes later has the later time", async (t) => {
    const { db, from } = await setUp(t);
    const at = await session(db, from);
    const does = ["send", "append", "interrupt", "take", "running", "update"];
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, n) => STEPS[does[n % 6] ?? ""]?.(at) ?? []),
    );
    await checkLog(at, new Map(told.flat().map((event) => [event.id, event])));
  });

  test("the clock of the database was set back by an hour: events go on at the time of the last one", async (t) => {
    const { db, from } = await setUp(t);
    const at = await session(db, from);
    await setBack(at, 3_600);
    const live = [...((await STEPS.send?.(at)) ?? []), ...((await STEPS.append?.(at)) ?? [])];
    assert.equal(new Set(live.map(({ created_at }) => created_at)).size, 1);
    await checkLog(at, new Map(live.map((event) => [event.id, event])));
  });
});

describe("events by time", () => {
  test("from and until any time: those that are shown to be of it, after deletions too", async (t) => {
    const { db, from } = await setUp(t);
    const { id } = await session(db, from);
    const [first, count] = [Date.UTC(2026, 0, 1), 40];
    const spaces = fc.array(fc.constantFrom(0, 0, 1, 2, 1_000), { minLength: count, maxLength: count });
    const bound = fc.option(fc.integer({ min: -3, max: 6_000 }));
    const kept = fc.array(fc.boolean(), { minLength: count, maxLength: count });
    await fc.assert(
      fc.asyncProperty(spaces, kept, bound, bound, async (gaps, keep, low, high) => {
        let time = first;
        const times = gaps.map((gap) => (time += gap));
        const stored = times.flatMap((ms, n) => (keep[n] ? [{ seq: n + 1, ms, id: idOf(ms, n) }] : []));
        await db.write.query({ text: "delete from events where session_id = $1", values: [id] });
        await db.write.query({
          text: `insert into events (session_id, seq, id, type, body, created_at)
            select $1, seq, id, 'user.message', '{}', to_timestamp(ms / 1000.0) + interval '0.4 ms'
            from json_to_recordset($2) as given (seq bigint, ms bigint, id uuid)`,
          values: [id, JSON.stringify(stored)],
        });
        const [since, until] = [low, high].map((at) => (at === null ? null : first + at)) as [
          number | null,
          number | null,
        ];
        const range = { direction: "older", anchor: null, rows: 1_000, lowest: null, below: null } as const;
        const filter = { order: "asc", types: null, from: since, until } as const;
        assert.deepEqual(
          (await listEvents(db.read, id, range, filter)).map(({ seq }) => seq),
          stored
            .filter(({ ms }) => (since === null || ms >= since) && (until === null || ms < until))
            .map(({ seq }) => seq),
        );
      }),
      { numRuns: 60 },
    );
  });
});

const START = Date.now();

/** Returns one id for each place and millisecond. */
function idOf(milliseconds: number, place: number): string {
  return minUuidAt(milliseconds).slice(0, -3) + place.toString().padStart(3, "0");
}

async function setUp(t: TestContext): Promise<{ db: TestDatabase; from: Seed }> {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  t.mock.timers.enable({ apis: ["Date"], now: START });
  return { db, from };
}

async function session(db: TestDatabase, from: Seed): Promise<At> {
  const id = await seedSession(db.write, from);
  return { db, id, lease: await seedLease(db.write, id, "one") };
}

/** Makes the row as if the database's clock had been `seconds` ahead at the last event. */
async function setBack({ db, id }: At, seconds: number): Promise<void> {
  const text =
    "update sessions set last_event_at = clock_timestamp() + make_interval(secs => $2) where id = $1";
  await db.write.query({ text, values: [id, seconds] });
}

async function databaseTime(db: TestDatabase): Promise<number> {
  const text = "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now";
  return (await db.write.query<{ now: number }>({ text })).rows[0]?.now ?? 0;
}

function told(entries: readonly LogEntry[]): SessionEvent[] {
  return entries.map(({ event }) => event);
}

function sent(rows: Awaited<ReturnType<typeof appendInputs>>): SessionEvent[] {
  assert.ok(typeof rows !== "string", `${rows}`);
  return rows.map(sessionEvent);
}

/**
 * Checks that no time in the log is before the previous one, and that a processed event is reported as it is
 * read later. `live` has the reported events by id.
 */
async function checkLog({ db, id }: At, live: ReadonlyMap<string, SessionEvent>): Promise<void> {
  const log = told(await readLog(db.read, id));
  const { events } = await readPage(db.read, id, 0, 1_000);
  assert.deepEqual(
    events.map(({ json }) => JSON.parse(json) as SessionEvent),
    log,
  );
  const created = log.map(({ created_at }) => Date.parse(created_at));
  assert.deepEqual(
    created,
    created.toSorted((one, other) => one - other),
  );
  for (const event of log) {
    const before = live.get(event.id);
    if (before === undefined) continue;
    assert.equal(before.created_at, event.created_at);
    if (before.processed_at !== null) assert.deepEqual(before, event);
    assert.ok(event.processed_at === null || event.processed_at >= event.created_at);
  }
  assert.ok(log.every((event) => parseId("event", event.id) !== null));
}
