import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SessionEvent } from "@berth/sdk";
import fc from "fast-check";
import { anyLog, LogWriter, previewsOf, usage } from "../../../../test-support/events.ts";
import { costOf } from "./log-cost.ts";
import { type LogInput, reduce } from "./reduce.ts";
import { SessionLog } from "./session-log.ts";
import { type CallRow, EMPTY_VIEW, type Row, type SessionView } from "./view.ts";

const viewOf = (events: readonly LogInput[]): SessionView => reduce(EMPTY_VIEW, events);
const rowsOf = <Kind extends Row["kind"]>(view: SessionView, kind: Kind) =>
  view.rows.filter((row): row is Extract<Row, { kind: Kind }> => row.kind === kind);

describe("however a log arrives", () => {
  test("any batches, cuts and repetitions come to the view of the whole log", () => {
    const cut = fc.record({
      size: fc.integer({ min: 1, max: 9 }),
      repeats: fc.nat({ max: 4 }),
      lost: fc.boolean(),
      previews: fc.boolean(),
    });
    fc.assert(
      fc.property(anyLog, fc.array(cut, { minLength: 1, maxLength: 40 }), (events, cuts) => {
        const log = new SessionLog();
        for (const batch of batchesOf(events, cuts)) {
          log.append(batch);
          const { rows, previews } = log.snapshot.view;
          assert.ok(!previews.some(({ id }) => rows.some((row) => row.id === id)), "nothing is there twice");
        }
        log.append([{ type: "connection_lost" }]);
        assert.deepEqual(log.snapshot.view, { ...viewOf(events), previews: [] });
        assert.deepEqual(log.snapshot.events, events);
      }),
      { numRuns: 300 },
    );
  });

  test("a view that was made is never changed by later events", () => {
    fc.assert(
      fc.property(anyLog, fc.nat({ max: 60 }), (events, at) => {
        const early = viewOf(events.slice(0, at));
        const copy = structuredClone(early);
        reduce(early, events.slice(at));
        assert.deepEqual(early, copy);
      }),
    );
  });

  test("a row that did not change is the same object, so that it is not drawn again", () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const early = viewOf(events.slice(0, -1));
        const late = reduce(early, events.slice(-1));
        const changed = late.rows.filter((row, index) => row !== early.rows[index]);
        assert.ok(changed.length <= 1 + early.open.inputs.length + early.open.calls.size);
      }),
    );
  });
});

/**
 * Cuts the log into batches, which also have repeated events, lost connections, or previews of later events.
 */
function batchesOf(
  events: readonly SessionEvent[],
  cuts: readonly { size: number; repeats: number; lost: boolean; previews: boolean }[],
): LogInput[][] {
  const batches: LogInput[][] = [];
  for (let from = 0, n = 0; from < events.length; n++) {
    const { size, repeats, lost, previews } = cuts[n % cuts.length] ?? {
      size: 1,
      repeats: 0,
      lost: false,
      previews: false,
    };
    const fresh = events
      .slice(from, from + size)
      .flatMap((event): LogInput[] => [...(previews ? previewsOf(event) : []), event]);
    batches.push([
      ...(lost ? [{ type: "connection_lost" } as const] : []),
      ...events
        .slice(Math.max(0, from - repeats), from)
        .flatMap((event): LogInput[] => [...(previews ? previewsOf(event) : []), event]),
      ...fresh,
      ...(previews ? events.slice(Math.max(0, from - repeats), from).flatMap(previewsOf) : []),
    ]);
    from += size;
  }
  return batches;
}

describe("calls", () => {
  test("a result ends its call, in any order of parallel calls", () => {
    const log = new LogWriter();
    const [one, two] = [log.use("Bash", { command: "a" }), log.use("Bash", { command: "b" })];
    log.result(two.id, "b", true);
    log.result(one.id, "a");
    const calls = rowsOf(viewOf(log.events), "call");
    assert.deepEqual(
      calls.map(({ state }) => state),
      ["done", "failed"],
    );
    assert.deepEqual(
      calls.map(({ result }) => result?.id),
      ["evt_3", "evt_2"],
    );
  });

  test("one that must be allowed waits, then runs or is denied", () => {
    for (const [result, state] of [
      ["allow", "running"],
      ["deny", "denied"],
    ] as const) {
      const log = new LogWriter();
      const use = log.use("Bash", { command: "rm" }, "ask");
      log.add("session.status_idle", { stop_reason: { type: "requires_action", event_ids: [use.id] } });
      assert.deepEqual(viewOf(log.events).waiting, [use.id]);
      log.add("user.tool_confirmation", { tool_use_id: use.id, result });
      const view = viewOf(log.events);
      assert.deepEqual(view.waiting, []);
      assert.equal((view.rows[0] as CallRow).state, state);
    }
  });

  test("a denied call stays denied when its result says so", () => {
    const log = new LogWriter();
    const use = log.use("Bash", {}, "deny");
    log.result(use.id, "not allowed", true);
    assert.equal((viewOf(log.events).rows[0] as CallRow).state, "denied");
  });

  test("a result whose call is not in the log is left out", () => {
    const log = new LogWriter();
    log.result("evt_gone", "late");
    assert.deepEqual(viewOf(log.events).rows, []);
  });

  test("none waits any more once the session is terminated", () => {
    const log = new LogWriter();
    log.use("Bash", {}, "ask");
    log.add("session.status_terminated");
    const view = viewOf(log.events);
    assert.deepEqual([view.waiting, view.status], [[], "terminated"]);
  });
});

describe("turns", () => {
  test("the end of a turn has its time, requests, calls and tokens; the next one begins anew", () => {
    const log = new LogWriter();
    for (let turn = 0; turn < 2; turn++) {
      log.say("Do it", "user.message");
      log.add("session.status_running");
      const { id } = log.add("span.model_request_start", { model: "m" });
      log.add("span.model_request_end", { model_request_start_id: id, is_error: false, model_usage: usage });
      log.use("Bash");
      log.add("session.status_idle", { stop_reason: { type: "end_turn" } });
    }
    const view = viewOf(log.events);
    const ends = rowsOf(view, "end");
    assert.deepEqual(
      ends.map(({ turn }) => turn),
      [1, 2],
    );
    assert.deepEqual(ends[1]?.summary, { seconds: 5, requests: 1, calls: 1, usage });
    assert.equal(view.usage.input_tokens, 20);
  });

  test("an input is pending until a request to the model", () => {
    const log = new LogWriter();
    log.say("a", "user.message");
    assert.ok(rowsOf(viewOf(log.events), "input")[0]?.pending);
    log.add("span.model_request_start", { model: "m" });
    assert.ok(!rowsOf(viewOf(log.events), "input")[0]?.pending);
  });

  test("preparations of a turn share a row, each step with its newest state; the next turn has its own", () => {
    const log = new LogWriter();
    log.add("session.resource_progress", { resource_id: "sesr_a", phase: "receiving", percent: 10 });
    log.say("hello");
    log.add("session.resource_ready", { resource_id: "sesr_a", seconds: 2, commit: "abc" });
    log.add("session.container_started", { seconds: 1 });
    log.add("session.status_idle", { stop_reason: { type: "end_turn" } });
    log.add("session.container_started", { seconds: 1 });
    const setups = rowsOf(viewOf(log.events), "setup");
    assert.deepEqual(
      setups.map(({ steps }) => steps.map(({ key, phase }) => `${key} ${phase}`)),
      [["sesr_a ready", "container container"], ["container container"]],
    );
  });
});

test("a repository that is ready after the turn ends its step where it began", () => {
  const log = new LogWriter();
  log.say("hello");
  log.add("session.resource_progress", { resource_id: "sesr_a", phase: "waiting", percent: null });
  log.add("session.status_idle", { stop_reason: { type: "end_turn" } });
  log.add("session.resource_ready", { resource_id: "sesr_a", seconds: 2, commit: "abc" });
  log.add("session.container_started", { seconds: 1 });
  assert.deepEqual(
    rowsOf(viewOf(log.events), "setup").map(({ steps }) => steps.map(({ key, phase }) => `${key} ${phase}`)),
    [["sesr_a ready"], ["container container"]],
  );
});

test("a repository that cannot be cloned ends its step, and has a row that tells why", () => {
  const log = new LogWriter();
  log.add("session.resource_progress", { resource_id: "sesr_a", phase: "waiting", percent: null });
  const error = {
    type: "repository_authentication_error",
    message: "401",
    retry_status: { type: "terminal" },
    resource_id: "sesr_a",
  };
  log.add("session.error", { error });
  const view = viewOf(log.events);
  assert.deepEqual(
    rowsOf(view, "setup").map(({ steps }) => steps.map(({ failed }) => failed)),
    [[true]],
  );
  assert.equal(rowsOf(view, "notice").length, 1);
});

describe("previews", () => {
  test("grow with each piece, and give way to the event", () => {
    const log = new LogWriter();
    const event = log.say("Hello");
    const pieces = previewsOf(event);
    const writing = viewOf(pieces);
    assert.deepEqual(
      writing.previews.map(({ id, text }) => [id, text]),
      [[event.id, "Hello"]],
    );
    const done = reduce(writing, [event]);
    assert.deepEqual([done.previews, rowsOf(done, "text").map(({ text }) => text)], [[], ["Hello"]]);
  });

  test("of an event that is there already are dropped, whole or in part, whatever else comes with them", () => {
    const writer = new LogWriter();
    const said = writer.say("Hello");
    writer.use("Bash", { command: "sleep 60" });
    for (const late of [previewsOf(said), previewsOf(said).slice(1), [...previewsOf(said), said]]) {
      const log = new SessionLog();
      log.append(writer.events);
      const { view } = log.snapshot;
      log.append(late);
      assert.equal(log.snapshot.view, view);
    }
  });

  test("of a request that failed are void", () => {
    const log = new LogWriter();
    const event = log.say("Hello");
    const failed = new LogWriter();
    failed.add("span.model_request_end", {
      model_request_start_id: "evt_x",
      is_error: true,
      model_usage: null,
    });
    assert.deepEqual(viewOf([...previewsOf(event), ...failed.events]).previews, []);
  });
});

describe("what a call prints", () => {
  const piece = (call: string, offset: number, text: string): LogInput => ({
    type: "agent.tool_output",
    tool_use_id: call,
    offset,
    text,
  });
  const outputs = (view: SessionView) => rowsOf(view, "call").map(({ output }) => output?.text ?? null);

  test("it is shown at its call while that runs, each piece once, and the result in its place", () => {
    const log = new LogWriter();
    const [one, two] = [log.use("Bash", { command: "a" }), log.use("Bash", { command: "b" })];
    const pieces = [
      piece(one.id, 0, "x"),
      piece(two.id, 0, "y"),
      piece(one.id, 0, "xz"),
      piece(one.id, 9, "!"),
    ];
    const running = viewOf([...log.events, ...pieces]);
    assert.deepEqual(outputs(running), ["xz\n…\n!", "y"]);
    assert.deepEqual(outputs(reduce(running, [{ type: "connection_lost" }, ...pieces])), ["xz\n…\n!", "y"]);
    const result = log.result(one.id, "xzabc!");
    const done = reduce(running, [result, piece(one.id, 10, "late")]);
    assert.deepEqual(outputs(done), [null, "y"]);
    assert.deepEqual(
      rowsOf(done, "call").map(({ result: given }) => given?.id ?? null),
      [result.id, null],
    );
  });

  test("of a call that is not there nothing is shown, and rows that did not change are the same", () => {
    const log = new LogWriter();
    const [one] = [log.use("Bash"), log.say("Hello")];
    const before = viewOf(log.events);
    const after = reduce(before, [piece("evt_99", 0, "x"), piece(one.id, 0, "y")]);
    assert.deepEqual(outputs(after), ["y"]);
    assert.equal(after.rows[1], before.rows[1]);
    assert.deepEqual(outputs(before), [null]);
  });
});

test("the loop of a call: its rows, calls and tokens are in the call's row, and its tokens are the session's", () => {
  const log = new LogWriter();
  const { id: call } = log.use("Explore", { question: "Where?" });
  const of = { parent_tool_use_id: call };
  const { id: start } = log.add("span.model_request_start", { model: "acme/cheap", ...of });
  const read = log.add("agent.tool_use", { name: "Read", input: {}, evaluated_permission: "allow", ...of });
  log.add("span.model_request_end", {
    model_request_start_id: start,
    is_error: false,
    model_usage: usage,
    ...of,
  });
  log.add("agent.tool_result", { tool_use_id: read.id, content: [], is_error: false, ...of });
  log.add("agent.message", { content: [{ type: "text", text: "a.ts:1" }], ...of });
  log.result(call, "a.ts:1");
  const view = viewOf(log.events);
  assert.deepEqual(
    view.rows.map(({ kind }) => kind),
    ["call"],
  );
  const [row] = rowsOf(view, "call");
  assert.equal(row?.state, "done");
  assert.equal(row?.loop?.model, "acme/cheap");
  const nested = row?.loop?.view ?? EMPTY_VIEW;
  assert.deepEqual(
    nested.rows.map((one) => [one.kind, one.kind === "call" ? one.state : null]),
    [
      ["call", "done"],
      ["text", null],
    ],
  );
  assert.deepEqual(
    [nested.current.calls, nested.usage, view.usage, view.current.calls],
    [1, usage, usage, 1],
  );
  const prices = {
    "acme/cheap": { input: 1_000_000, output: 0 },
    "acme/large": { input: 9_000_000, output: 0 },
  };
  const priceOf = (model: string | null) =>
    (prices as Record<string, { input: number; output: number }>)[model ?? ""];
  assert.equal(costOf(view, "acme/large", priceOf), 10 + 2 * 0.1 + 1.25);
  assert.equal(
    costOf(view, "acme/large", (model) => (model === "acme/cheap" ? null : priceOf(model))),
    null,
  );
});
