import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "@berth/contract";
import { pino } from "pino";
import { Registry } from "prom-client";
import type { Appended } from "../lease/run-log.ts";
import { SessionMetrics } from "./session-metrics.ts";
import { SessionRecord } from "./session-record.ts";

/** Returns the log lines of these events, without level, time and process. */
function linesOf(
  events: ReadonlyArray<Appended["event"]>,
  level = "debug",
  metrics = new SessionMetrics(),
  model = "rehearsal/steps",
) {
  const lines: Array<{ [field: string]: unknown }> = [];
  const log = pino(
    { level, base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const agent = { model: { id: model } } as never;
  const record = new SessionRecord(log, { agent }, metrics);
  for (const one of events) {
    record.appended([{ event: one }]);
    if (one.type === "span.model_request_start" && one.id !== undefined) record.firstPart(one.id);
  }
  return lines.map(({ level: _, ...line }) => line);
}

const usage = (input_tokens: number, output_tokens: number) => ({
  ...{ input_tokens, output_tokens },
  ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
});
const requestEnd = (tokens: [number, number] | null): NewEvent => ({
  type: "span.model_request_end",
  model_request_start_id: "event_1",
  is_error: tokens === null,
  model_usage: tokens && usage(...tokens),
});
const idle: NewEvent = { type: "session.status_idle", stop_reason: { type: "end_turn" } };
const call = {
  id: "event_2",
  type: "agent.tool_use",
  name: "Bash",
  input: { command: "cat canary" },
  evaluated_permission: "allow",
} as const;
const result: Extract<NewEvent, { type: "agent.tool_result" }> = {
  type: "agent.tool_result",
  tool_use_id: "event_2",
  content: [{ type: "text", text: "canary" }],
  is_error: false,
};

test("turn: one line with its outcome, calls and tokens, and none of its contents", () => {
  const running = { type: "session.status_running" } as const;
  const before = requestEnd([100, 100]);
  const turn = [running, requestEnd([3, 4]), call, result, requestEnd([5, 6]), requestEnd(null), idle];
  const [line, ...others] = linesOf([before, ...turn], "info");
  assert.deepEqual(others, []);
  assert.equal(typeof line?.milliseconds, "number");
  assert.deepEqual(
    { ...line, milliseconds: 0 },
    {
      msg: "turn ended",
      outcome: "end_turn",
      milliseconds: 0,
      model: "rehearsal/steps",
      tool_calls: 1,
      ...usage(8, 10),
    },
  );
});

test("tool call: at debug, by its name and id, with how it ended", () => {
  const [line] = linesOf([call, { ...result, is_error: true }]);
  assert.equal(line?.msg, "tool call ended");
  assert.deepEqual([line?.call, line?.tool, line?.is_error], ["event_2", "Bash", true]);
  assert.equal(typeof line?.milliseconds, "number");
  assert.ok(!JSON.stringify(line).includes("canary"));
});

test("disk reclaimed, error: a line each", () => {
  const lines = linesOf([
    { type: "session.container_reclaimed", reason: "inactivity" },
    {
      type: "session.error",
      error: { type: "unknown_error", message: "canary", retry_status: { type: "terminal" } },
    },
  ]);
  assert.deepEqual(lines, [
    { reason: "inactivity", msg: "disk reclaimed" },
    { error: "unknown_error", retry_status: "terminal", msg: "session error" },
  ]);
});

test("metrics: by outcome, model and tool; no name from a session is a label", async () => {
  const registry = new Registry();
  const mcp = { type: "agent.mcp_tool_use", name: "hostile-1", mcp_server_name: "hostile-2", input: {} };
  const nested = { parent_tool_use_id: "event_2" };
  const custom = { type: "agent.custom_tool_use", name: "hostile-3", input: {} };
  const events = [
    { id: "event_0", type: "span.model_request_start", model: "hostile-4" },
    { ...call, id: "event_1", name: "hostile-5" },
    call,
    { id: "event_3", ...mcp, evaluated_permission: "allow" },
    { id: "event_4", ...custom },
    { ...result, tool_use_id: "event_1", is_error: true },
    result,
    { type: "agent.mcp_tool_result", mcp_tool_use_id: "event_3", content: [], is_error: false },
    { type: "user.custom_tool_result", custom_tool_use_id: "event_4" },
    { ...requestEnd([3, 4]), model_request_start_id: "event_0" },
    { id: "event_5", type: "span.model_request_start", model: "rehearsal/cheap", ...nested },
    { ...requestEnd([20, 30]), model_request_start_id: "event_5", ...nested },
    { id: "event_6", type: "span.model_request_start", model: "hostile-8", ...nested },
    { ...requestEnd([0, 0]), model_request_start_id: "event_6", ...nested },
    { type: "session.egress_denied", host: "hostile-6", port: 443, reason: "not_allowed" },
    idle,
  ] as Parameters<typeof linesOf>[0];
  const models = {
    listed: (id: string) => id.startsWith("rehearsal/"),
    cost: (_id: string, { input_tokens }: { input_tokens: number }) => input_tokens / 10,
  };
  const metrics = new SessionMetrics(registry, models);
  linesOf(events, "info", metrics);
  linesOf(events, "info", metrics, "openrouter/hostile-7");
  metrics.sandboxOpened("resumed", 0.25);
  metrics.gapEnded({ append_response: 2, calls: 30, append_results: 4, fold: 0.1, build: 0.6 });
  const text = await registry.metrics();
  assert.doesNotMatch(text, /hostile/);
  for (const line of [
    'berth_turn_seconds_count{outcome="end_turn"} 2',
    'berth_model_first_token_seconds_count{model="rehearsal/steps"} 1',
    'berth_model_first_token_seconds_count{model="other"} 3',
    'berth_model_request_gap_seconds_bucket{le="0.05",part="calls"} 1',
    'berth_model_request_gap_seconds_sum{part="append_results"} 0.004',
    'berth_model_cost_dollars_total{model="rehearsal/steps"} 0.3',
    'berth_model_cost_dollars_total{model="other"} 0.3',
    'berth_model_request_seconds_count{model="rehearsal/steps",error="false"} 1',
    'berth_model_tokens_total{model="rehearsal/steps",kind="input"} 3',
    'berth_model_tokens_total{model="rehearsal/steps",kind="output"} 4',
    'berth_model_tokens_total{model="rehearsal/cheap",kind="output"} 60',
    'berth_model_cost_dollars_total{model="rehearsal/cheap"} 4',
    'berth_tool_call_seconds_count{tool="unknown",error="true"} 2',
    'berth_tool_call_seconds_count{tool="Bash",error="false"} 2',
    'berth_tool_call_seconds_count{tool="mcp",error="false"} 2',
    'berth_tool_call_seconds_count{tool="custom",error="false"} 2',
    'berth_session_incidents_total{incident="egress_denied",reason="not_allowed"} 2',
    'berth_sandbox_open_seconds_count{kind="resumed"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} is not in:\n${text}`);
});
