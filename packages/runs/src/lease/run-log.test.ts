import assert from "node:assert/strict";
import { on } from "node:events";
import { describe, test } from "node:test";
import { type Draft, LeaseLost, type LogEntry } from "@berth/agent";
import { formatId, type InputEvent, newUuid, type SessionAgent } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { appendInputs } from "@berth/store/session-log";
import { testDatabase } from "@berth/store/test-support/database";
import type { Statement } from "@berth/store/test-support/internals/db";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps } from "../../test-support/worker.ts";
import { LogMemory } from "./log-memory.ts";
import { RunLog } from "./run-log.ts";

const asking: SessionAgent["tools"] = [
  {
    type: "agent_toolset_20260401",
    enabled_tools: ["Bash"],
    configs: [{ name: "Bash", enabled: true, permission_policy: { type: "always_ask" } }],
  },
];

async function askingSession({ db }: Pick<Installation, "db">): Promise<string> {
  const sessionId = await seedSession(db.write, await seed(db.write));
  await db.write.query({
    text: "update sessions set agent = jsonb_set(agent::jsonb, '{tools}', $2::jsonb) where id = $1",
    values: [sessionId, JSON.stringify(asking)],
  });
  return sessionId;
}

async function answer(own: Installation, sessionId: string, ...words: ("allow" | "deny")[]): Promise<void> {
  const log = await own.until(sessionId, (entries) => idles(entries) === 1);
  const uses = log.filter(({ event }) => event.type === "agent.tool_use").map(({ event }) => event.id);
  const answers = words.map((word, index) => confirmation(uses[index] ?? "", word));
  await appendInputs(own.db.write, sessionId, answers);
}

const asked = {
  type: "agent.tool_use" as const,
  name: "Bash",
  input: {},
  evaluated_permission: "ask" as const,
};

function confirmation(tool_use_id: string, result: "allow" | "deny") {
  return { type: "user.tool_confirmation" as const, tool_use_id, result };
}

function result(tool_use_id: string): Draft {
  return { event: { type: "agent.tool_result", tool_use_id, content: [], is_error: false } };
}

function resultTexts(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ event }) =>
    event.type === "agent.tool_result" ? [JSON.stringify(event.content)] : [],
  );
}

describe("RunLog: started calls", () => {
  test("two calls run → both get their results before the session is handed over", async (t) => {
    const own = await installation(t, await testDatabase(t));
    const sessionId = await seedSession(own.db.write, await seed(own.db.write));
    const first = await own.worker({ graceMs: 10_000 });
    const commands = ["linger 1", "linger 2"];
    const begun = on(own.engine.events, "command");
    await own.send(sessionId, steps({ tools: commands.map(bash) }, { say: "Done." }));
    for (const _ of commands) await begun.next();
    const closed = first.close();
    own.engine.events.emit("go", "linger 1");
    await own.until(sessionId, (log) => resultTexts(log).length === 1);
    own.engine.events.emit("go", "linger 2");
    await closed;
    await own.worker();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.equal(resultTexts(log).length, 2);
    assert.doesNotMatch(resultTexts(log).join(), /interrupted/);
    assert.deepEqual(own.engine.commands.map(({ script }) => script).toSorted(), commands);
  });

  test("a taken confirmation starts a call → the log closes after its result", async (t) => {
    const { db, hub } = await installation(t, await testDatabase(t));
    const sessionId = await seedSession(db.write, await seed(db.write));
    const lease = await seedLease(db.write, sessionId, "own");
    const runLog = new RunLog({ db, hub, logMemory: new LogMemory() }, lease, (text) => text);
    const turn = await runLog.forTurn();
    const [denied, allowed] = [formatId("event", newUuid()), formatId("event", newUuid())];
    await turn.append([denied, allowed].map((id) => ({ id, event: asked })));
    await appendInputs(db.write, sessionId, [confirmation(denied, "deny"), confirmation(allowed, "allow")]);
    await turn.takeClientReplies();
    runLog.closeAtNextAppend();
    await turn.append([result(denied)]);
    await assert.rejects(turn.append([result(allowed)]), LeaseLost);
    assert.equal(resultTexts(await readLog(db.read, sessionId)).length, 2);
  });

  test("allowed calls, but the model is not installed → results say that they were not started", async (t) => {
    const own = await installation(t, await testDatabase(t));
    const sessionId = await askingSession(own);
    const first = await own.worker();
    await own.send(sessionId, steps({ tools: ["echo 1", "echo 2", "echo 3"].map(bash) }, { say: "Done." }));
    await own.until(sessionId, (entries) => idles(entries) === 1);
    await first.close();
    await answer(own, sessionId, "allow", "deny");
    const second = await own.worker({ model: () => null });
    const failed = await own.until(sessionId, (entries) => idles(entries) === 2);
    await second.close();
    assert.match(resultTexts(failed).join(), /was not started.*was not run/);
    assert.equal(resultTexts(failed).length, 2, "the third still waits for its client");
    await own.worker();
    await own.send(sessionId, "Go on.");
    const log = await own.until(sessionId, (entries) => idles(entries) === 3);
    assert.doesNotMatch(resultTexts(log).join(), /unknown/);
    const end = log.at(-1)?.event;
    assert.equal(end?.type === "session.status_idle" && end.stop_reason.type, "requires_action");
    assert.deepEqual(own.engine.commands, []);
  });

  for (const maxBytes of [1, 1024 ** 2]) {
    test(`logs may take ${maxBytes} bytes → each turn has the log as it is, and what was read is read again only if it is evicted`, async (t) => {
      const { db, hub } = await installation(t, await testDatabase(t));
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "own");
      const read = reading(db.read);
      const logMemory = new LogMemory(maxBytes);
      const runLog = new RunLog({ db: { ...db, read }, hub, logMemory }, lease, (text) => text);
      for (let turns = 0; turns < 3; turns++) {
        await appendInputs(db.write, sessionId, [message("one"), { type: "user.interrupt" }, message("two")]);
        await runLog.appendRunning();
        const turn = await runLog.forTurn();
        const isTaken = ({ event }: LogEntry) => event.type !== "user.message" || event.processed_at !== null;
        assert.deepEqual(turn.copy.entries, (await readLog(db.read, sessionId)).filter(isTaken));
        await turn.appendTakingInputs([{ event: { type: "span.model_request_start", model: "m/m" } }]);
        assert.deepEqual(turn.copy.entries, await readLog(db.read, sessionId));
        await appendInputs(db.write, sessionId, [message("not taken yet")]);
        await runLog.append([{ event: { type: "agent.thinking" } }]);
        await turn.append([{ event: { type: "agent.thinking" } }]);
        assert.deepEqual(turn.copy.entries, (await readLog(db.read, sessionId)).filter(isTaken));
        await runLog.appendIdle([
          { event: { type: "session.status_idle", stop_reason: { type: "end_turn" } } },
        ]);
      }
      const kept = maxBytes > 1;
      assert.deepEqual(read.firstSeqs, kept ? [2, 2, 11] : [2, 1, 1]);
    });
  }

  test("a turn begins with a look → the log is read only where more is missing than what the request takes", async (t) => {
    const { db, hub } = await installation(t, await testDatabase(t));
    const sessionId = await seedSession(db.write, await seed(db.write));
    const lease = await seedLease(db.write, sessionId, "own");
    const read = reading(db.read);
    const runLog = new RunLog(
      { db: { ...db, read }, hub, logMemory: new LogMemory() },
      lease,
      (text) => text,
    );
    const system: InputEvent = { type: "system.message", content: [{ type: "text", text: "Be brief." }] };
    const isRead: boolean[] = [];
    for (const [before, meanwhile] of [
      [[message("one")], []],
      [[message("one"), system, message("two")], []],
      [[message("one")], [message("late")]],
      [[message("one")], [message("late"), { type: "user.interrupt" }]],
      [[message("after one that was not taken by a request")], []],
      [[message("one")], []],
    ] satisfies [InputEvent[], InputEvent[]][]) {
      await appendInputs(db.write, sessionId, before);
      const reads = read.firstSeqs.length;
      assert.equal((await runLog.beginTurn()).began, true);
      const turn = await runLog.forTurn();
      isRead.push(read.firstSeqs.length > reads);
      if (meanwhile.length > 0) await appendInputs(db.write, sessionId, meanwhile);
      await turn.appendTakingInputs([{ event: { type: "span.model_request_start", model: "m/m" } }]);
      const log = await readLog(db.read, sessionId);
      const isTaken = ({ event }: LogEntry) => event.type !== "user.interrupt" || event.processed_at !== null;
      assert.deepEqual(turn.copy.entries, log.filter(isTaken));
      await runLog.appendIdle([
        { event: { type: "session.status_idle", stop_reason: { type: "end_turn" } } },
      ]);
    }
    assert.deepEqual(isRead, [true, false, false, false, true, false]);
  });
});

/** Forwards queries, and records the seq from which each log is read. */
function reading(db: Queryable): Queryable & { firstSeqs: number[] } {
  const firstSeqs: number[] = [];
  return {
    firstSeqs,
    async query<Row extends object>(statement: Statement) {
      const found = await db.query<Row>(statement);
      if (statement.name === "read_run_log" && found.rows.length > 0)
        firstSeqs.push((found.rows[0] as { seq: number }).seq);
      return found;
    },
  };
}

function message(text: string): InputEvent {
  return { type: "user.message", content: [{ type: "text", text }] };
}
