import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LeaseLost } from "@berth/agent";
import { formatId, type InputEvent, newUuid } from "@berth/contract";
import type { Lease } from "@berth/store/leases";
import { appendInputs, appendTerminated } from "@berth/store/session-log";
import { type TestDatabase, testDatabase, testServers } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { appendByRun, appendIdle } from "./append-events.ts";
import { beginTurn } from "./begin-turn.ts";

async function held(db: TestDatabase): Promise<Lease> {
  return await seedLease(db.write, await seedSession(db.write, await seed(db.write)), "own");
}

function message(text = "Hello."): InputEvent {
  return { type: "user.message", content: [{ type: "text", text }] };
}

const SYSTEM: InputEvent = { type: "system.message", content: [{ type: "text", text: "Be brief." }] };
const INTERRUPT: InputEvent = { type: "user.interrupt" };
const IDLE = { event: { type: "session.status_idle" as const, stop_reason: { type: "end_turn" as const } } };

async function isDue(db: TestDatabase, { sessionId }: Lease): Promise<boolean> {
  const { rows } = await db.read.query<{ due: boolean }>({
    text: "select pending_at is not null as due from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0]?.due === true;
}

async function types(db: TestDatabase, { sessionId }: Lease): Promise<string[]> {
  return (await readLog(db.read, sessionId)).map(({ event }) => event.type);
}

for (const server of testServers) {
  describe(`beginTurn on ${server.label}`, () => {
    test("messages wait → the turn begins after them, and the session is not due any more", async (t) => {
      const db = await testDatabase(t, server);
      const lease = await held(db);
      await appendInputs(db.write, lease.sessionId, [SYSTEM, message()]);
      const { state, running, waiting } = await beginTurn(db.write, lease);
      const log = await readLog(db.read, lease.sessionId);
      assert.deepEqual(running, log.at(-1));
      assert.deepEqual([running?.seq, running?.event.type, waiting], [3, "session.status_running", 2]);
      assert.notEqual(running?.event.processed_at, null);
      assert.deepEqual(
        { ...state },
        {
          status: "running",
          archived: false,
          terminated: false,
          deleted: false,
          resting: false,
          crashes: 0,
          setAside: false,
        },
      );
      assert.equal(await isDue(db, lease), false);
      await appendIdle(db.write, lease, [IDLE]);
      const { rows } = await db.read.query<{ status: string; active: boolean }>({
        text: "select status, running_since is null and active_ms >= 0 as active from sessions where id = $1",
        values: [lease.sessionId],
      });
      assert.deepEqual({ ...rows[0] }, { status: "idle", active: true });
    });

    test("nothing waits, an interrupt waits, or only a system message → a look, which leaves the log as it is", async (t) => {
      const db = await testDatabase(t, server);
      for (const inputs of [[], [SYSTEM], [INTERRUPT], [message(), INTERRUPT], [INTERRUPT, message()]]) {
        const lease = await held(db);
        if (inputs.length > 0) await appendInputs(db.write, lease.sessionId, inputs);
        const { state, running } = await beginTurn(db.write, lease);
        assert.equal(running, null, JSON.stringify(inputs));
        assert.equal(state.status, "idle");
        assert.equal(await isDue(db, lease), false);
        assert.deepEqual(
          await types(db, lease),
          inputs.map(({ type }) => type),
        );
      }
    });

    test("a call waits for a client → the message waits too", async (t) => {
      const db = await testDatabase(t, server);
      const lease = await held(db);
      const id = newUuid();
      const call = { type: "agent.custom_tool_use" as const, name: "ask", input: {} };
      await appendByRun(db.write, lease, [{ id: formatId("event", id), event: call }]);
      await appendInputs(db.write, lease.sessionId, [message()]);
      assert.equal((await beginTurn(db.write, lease)).running, null);
      assert.equal(await isDue(db, lease), false);
    });

    test("the session runs already, or it was archived, deleted or terminated → its state, and no turn", async (t) => {
      const db = await testDatabase(t, server);
      const running = await held(db);
      await appendInputs(db.write, running.sessionId, [message()]);
      await beginTurn(db.write, running);
      await appendInputs(db.write, running.sessionId, [message()]);
      const again = await beginTurn(db.write, running);
      assert.deepEqual([again.running, again.state.status], [null, "running"]);
      for (const column of ["archived", "deleted"] as const) {
        const lease = await held(db);
        await appendInputs(db.write, lease.sessionId, [message()]);
        await db.write.query({
          text: `update sessions set ${column}_at = now() where id = $1`,
          values: [lease.sessionId],
        });
        const { state, running: began } = await beginTurn(db.write, lease);
        assert.deepEqual([began, state[column]], [null, true]);
      }
      const ended = await held(db);
      await appendInputs(db.write, ended.sessionId, [message()]);
      await appendTerminated(db.write, ended.sessionId);
      const { state, running: began } = await beginTurn(db.write, ended);
      assert.deepEqual([began, state.terminated], [null, true]);
    });

    test("another process has the lease → LeaseLost, and nothing changes", async (t) => {
      const db = await testDatabase(t, server);
      const lease = await held(db);
      await appendInputs(db.write, lease.sessionId, [message()]);
      for (const stale of [
        { ...lease, owner: "another" },
        { ...lease, epoch: lease.epoch - 1 },
      ])
        await assert.rejects(beginTurn(db.write, stale), LeaseLost);
      assert.equal(await isDue(db, lease), true);
      assert.deepEqual(await types(db, lease), ["user.message"]);
    });

    test("an input is committed while it waits for the session's row → it is seen", async (t) => {
      const db = await testDatabase(t, server);
      for (const [late, begins] of [
        [message("late"), true],
        [INTERRUPT, false],
      ] as const) {
        const lease = await held(db);
        await appendInputs(db.write, lease.sessionId, [message()]);
        const beginning = await db.transaction(async (tx) => {
          await appendInputs(tx, lease.sessionId, [late]);
          const began = beginTurn(db.write, lease);
          await untilWaiting(db);
          return { began };
        });
        const { running, waiting } = await beginning.began;
        assert.equal(running !== null, begins);
        if (begins) assert.deepEqual([running?.seq, waiting], [3, 2]);
        assert.equal(await isDue(db, lease), false);
      }
    });
  });
}

/** Waits until a statement of this database waits for a row lock. */
async function untilWaiting(db: TestDatabase): Promise<void> {
  for (let count = 0; count === 0; ) {
    const { rows } = await db.read.query<{ count: number }>({
      text: "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    });
    count = rows[0]?.count ?? 0;
  }
}
