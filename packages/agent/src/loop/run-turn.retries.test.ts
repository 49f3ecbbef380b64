import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOf, SessionEventType } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { type ScriptedResponse, says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testClock, testTool, testTurn } from "../../test-support/turn.ts";
import { LeaseLost } from "../history/log.ts";
import { ModelError, type ModelErrorKind } from "../models/model.ts";
import { runTurn } from "./run-turn.ts";

function eventsOf<Type extends SessionEventType>(log: MemoryLog, type: Type): EventOf<Type>[] {
  return log.events.filter((event): event is EventOf<Type> => event.type === type);
}

function failing(kind: ModelErrorKind, retryAfterMs: number | null = null): ScriptedResponse {
  return { error: new ModelError(kind, "busy", { retryable: true, retryAfterMs }) };
}

/** Creates a log with a message, and a clock for it and the turn. */
function begin() {
  const clock = testClock();
  const log = new MemoryLog(clock.now);
  log.message("go");
  return { clock, log, turn: { log, now: clock.now, sleep: clock.sleep } };
}

/** Creates a model that fails until `seconds` after its first request, then answers. */
function busyFor(seconds: number, now: () => number, failure = failing("overloaded")) {
  let first: number | undefined;
  return scriptedModel(() => {
    first ??= now();
    return now() < first + seconds * 1_000 ? failure : says("at last");
  });
}

test("failed request: retried after 1, 2 and 4 seconds or the provider's delay, and nothing of it is kept", async () => {
  const { clock, log, turn } = begin();
  const after = [{ type: "text" as const, text: "half" }, toolCall("Echo", { text: "never" })];
  const model = scriptedModel([
    failing("request_failed"),
    { ...failing("interrupted_stream", 5_000), after } as ScriptedResponse,
    failing("request_failed", 600_000),
    says("whole"),
  ]);
  const end = await runTurn(testTurn({ ...turn, model, tools: [testTool("Echo")] }));
  assert.deepEqual(end, { type: "end_turn" });
  assert.deepEqual(clock.waits, [1_000, 5_000, 60_000]);
  assert.equal(eventsOf(log, "agent.tool_use").length, 0);
  assert.deepEqual(
    eventsOf(log, "agent.message").map((event) => event.content[0]?.text),
    ["whole"],
  );
  assert.deepEqual(
    eventsOf(log, "span.model_request_end").map((event) => event.is_error),
    [true, true, true, false],
  );
  assert.equal(eventsOf(log, "session.status_rescheduled").length, 3);
  for (const request of model.requests) assert.deepEqual(request.messages, model.requests[0]?.messages);
  assert.deepEqual(
    model.requests.map((request) => request.failedAttempts),
    [0, 1, 2, 3],
  );
});

test("failed request: after three retries the turn ends, and the next turn succeeds", async () => {
  const { log, turn } = begin();
  const model = scriptedModel([
    ...Array.from({ length: 4 }, () => failing("request_failed")),
    failing("request_failed"),
    says("at last"),
  ]);
  assert.deepEqual(await runTurn(testTurn({ ...turn, model })), { type: "retries_exhausted" });
  assert.deepEqual(
    eventsOf(log, "session.error").map((event) => event.error.retry_status.type),
    ["retrying", "retrying", "retrying", "exhausted"],
  );
  log.message("again");
  assert.deepEqual(await runTurn(testTurn({ ...turn, model })), { type: "end_turn" });
  assert.equal(model.requests[4]?.failedAttempts, 0, "with a new message it is another request");
  assert.deepEqual(model.requests.at(-1)?.messages, [
    {
      role: "user",
      content: [
        { type: "text", text: "go" },
        { type: "text", text: "again" },
      ],
    },
  ]);
});

for (const [kind, seconds] of [
  ["overloaded", 590],
  ["rate_limited", 599],
  ["overloaded", 45],
] as const)
  test(`busy provider: ${seconds} seconds of ${kind} are waited out, and each wait says when the next try is`, async () => {
    const { clock, log, turn } = begin();
    const model = busyFor(seconds, clock.now, failing(kind));
    assert.deepEqual(await runTurn(testTurn({ ...turn, model })), { type: "end_turn" });
    const retries = eventsOf(log, "session.status_rescheduled");
    assert.equal(retries.length, clock.waits.length);
    for (const [index, retry] of retries.entries()) {
      const wait = Date.parse(retry.retry_at ?? "") - Date.parse(retry.created_at);
      assert.equal(wait, clock.waits[index]);
      assert.ok(
        wait <= 60_000 && wait >= Math.min(1_000 * 2 ** Math.min(index, 3), 10_000) - 1,
        `${wait} ms`,
      );
    }
    assert.ok(retries.length < seconds / 20 + 8, `${retries.length} tries`);
    assert.ok(eventsOf(log, "session.error").every(({ error }) => error.retry_status.type === "retrying"));
  });

test("busy provider: after the setting's time the turn ends; the next one has as long again", async () => {
  const { clock, log, turn } = begin();
  const model = scriptedModel(() => failing("overloaded"));
  const busyRetryMs = 30_000;
  for (const turns of [1, 2]) {
    const before = clock.now();
    assert.deepEqual(await runTurn(testTurn({ ...turn, model, busyRetryMs })), { type: "retries_exhausted" });
    assert.equal(clock.now() - before, busyRetryMs, "the last try is at the end of the time");
    log.store([{ event: { type: "session.status_idle", stop_reason: { type: "retries_exhausted" } } }]);
    log.message("again");
    const ends = eventsOf(log, "session.error").filter(
      ({ error }) => error.retry_status.type === "exhausted",
    );
    assert.equal(ends.length, turns);
  }
  assert.equal(
    await runTurn(testTurn({ ...turn, model, busyRetryMs: 0 })).then(({ type }) => type),
    "retries_exhausted",
  );
  assert.deepEqual(clock.waits.slice(-3), [1_000, 2_000, 4_000], "without it there are three retries");
});

test("busy provider: a delay that it asks for is kept, up to the end of the time; waits of sessions differ", async () => {
  const { clock, turn } = begin();
  const asking = busyFor(200, clock.now, failing("rate_limited", 200_000));
  assert.deepEqual(await runTurn(testTurn({ ...turn, model: asking })), { type: "end_turn" });
  assert.deepEqual(clock.waits, [200_000]);
  const hour = begin();
  const closed = scriptedModel(() => failing("rate_limited", 3_600_000));
  await runTurn(testTurn({ ...hour.turn, model: closed }));
  assert.deepEqual(hour.clock.waits, [600_000, 60_000, 60_000]);
  const one = begin();
  const other = begin();
  for (const [{ clock: own, turn: parts }, random] of [
    [one, 0.1],
    [other, 0.9],
  ] as const)
    await runTurn(testTurn({ ...parts, model: busyFor(20, own.now), random: () => random }));
  assert.notDeepEqual(one.clock.waits, other.clock.waits);
});

test("busy provider: a wait ends at once when the turn is interrupted", async () => {
  const { clock, log, turn } = begin();
  const stop = new AbortController();
  const sleep = async (_: number, signal: AbortSignal) => {
    stop.abort();
    signal.throwIfAborted();
  };
  const model = busyFor(600, clock.now);
  const end = await runTurn(testTurn({ ...turn, model, sleep, signal: stop.signal }));
  assert.deepEqual(end, { type: "cancelled" });
  assert.equal(model.requests.length, 1);
  assert.equal(log.types.at(-1), "session.status_rescheduled");
});

test("busy provider: another process goes on with the wait and with the time that is left", async () => {
  const { clock, log, turn } = begin();
  const model = scriptedModel(() => failing("overloaded"));
  const busyRetryMs = 100_000;
  const began = clock.now();
  let ends = 0;
  for (;;) {
    const dying = new AbortController();
    let sleeps = 0;
    const sleep = async (milliseconds: number, signal: AbortSignal) => {
      sleeps += 1;
      if (sleeps > 2) dying.abort(new LeaseLost());
      // The process dies in the middle of the wait.
      await clock.sleep(sleeps > 2 ? milliseconds / 2 : milliseconds, new AbortController().signal);
      signal.throwIfAborted();
    };
    const parts = testTurn({ ...turn, model, busyRetryMs, sleep, signal: dying.signal });
    const requests = model.requests.length;
    const promised = log.events.at(-1);
    try {
      assert.deepEqual(await runTurn(parts), { type: "retries_exhausted" });
      break;
    } catch (error) {
      assert.ok(error instanceof LeaseLost);
      ends += 1;
    }
    if (promised?.type === "session.status_rescheduled") {
      const again = eventsOf(log, "session.status_rescheduled").filter(
        ({ retry_at }) => retry_at === promised.retry_at,
      );
      assert.equal(again.length, 2, "the new process says when the next try is, and it is the same time");
    }
    assert.ok(model.requests.length > requests);
  }
  assert.ok(ends > 1, `${ends} deaths`);
  assert.equal(clock.now() - began, busyRetryMs, "the time does not begin again");
});

test("requests of a turn: the agent's limit, else that of the installation; a failed one does not count, and the next turn goes on", async () => {
  const { log, turn } = begin();
  const { agent } = testTurn();
  const answers = (count: number) => eventsOf(log, "agent.tool_use").length === count;
  const model = scriptedModel((_, index) =>
    index === 1 ? failing("overloaded") : { blocks: [toolCall("Echo", { text: "on" })] },
  );
  const parts = { ...turn, model, tools: [testTool("Echo")], maxRequests: 4 };
  const end = () =>
    log.store([{ event: { type: "session.status_idle", stop_reason: { type: "max_turns" } } }]);
  assert.deepEqual(await runTurn(testTurn(parts)), { type: "max_turns" });
  assert.ok(answers(4));
  end();
  log.message("go on");
  const limited = testTurn({ ...parts, agent: { ...agent, max_model_requests: 2 } });
  assert.deepEqual(await runTurn(limited), { type: "max_turns" });
  assert.ok(answers(6));
  assert.deepEqual(
    await runTurn(limited),
    { type: "max_turns" },
    "another process that goes on with the turn does not begin to count anew",
  );
  assert.ok(answers(6));
  end();
  log.message("go on");
  assert.deepEqual(await runTurn(testTurn({ ...parts, agent: { ...agent, max_model_requests: 9 } })), {
    type: "max_turns",
  });
  assert.ok(answers(15));
});
