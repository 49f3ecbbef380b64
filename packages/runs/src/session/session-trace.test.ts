import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { type Attributes, NO_TRACES, type Traces } from "@berth/store/traces";
import type { Appended } from "../lease/run-log.ts";
import { SessionTrace } from "./session-trace.ts";

interface Ended {
  name: string;
  parent: string | null | undefined;
  attributes: Attributes;
  error: string | undefined;
}

/** Records spans in the order in which they end. */
function recorded(withContents = false): { traces: Traces; ended: Ended[] } {
  const ended: Ended[] = [];
  let count = 0;
  return {
    ended,
    traces: {
      ...NO_TRACES,
      withContents,
      start(name, { parent, attributes = {} } = {}) {
        count += 1;
        return {
          traceparent: `span ${count} ${name}`,
          end: (more = {}, error) =>
            void ended.push({ name, parent, attributes: { ...attributes, ...more }, error }),
        };
      },
    },
  };
}

const session = {
  id: newUuid(),
  organizationId: newUuid(),
  agent: { id: "agent_1", model: { id: "far/quiet" } } as never,
  traceparent: "the request",
};
const call: Appended["event"] = {
  id: "evt_1",
  type: "agent.tool_use",
  name: "Bash",
  input: { command: "canary" },
  evaluated_permission: "ask",
};
const idle = (type: "end_turn" | "cancelled"): Appended["event"] => ({
  type: "session.status_idle",
  stop_reason: { type },
});

function endedBy(events: readonly Appended["event"][], withContents = false): Ended[] {
  const { traces, ended } = recorded(withContents);
  const trace = new SessionTrace(traces, session);
  trace.appended(events.map((event) => ({ event })));
  trace.close();
  return ended;
}

test("a call that waits for a client ends with its turn, and its result in a later turn ends nothing", () => {
  const result: Appended["event"] = {
    type: "agent.tool_result",
    tool_use_id: "evt_1",
    content: [],
    is_error: false,
  };
  const running: Appended["event"] = { type: "session.status_running" };
  const ended = endedBy([running, call, idle("end_turn"), running, result, idle("end_turn")]);
  assert.deepEqual(
    ended.map(({ name, parent }) => [name, parent]),
    [
      ["execute_tool Bash", "span 1 invoke_agent"],
      ["invoke_agent", "the request"],
      ["invoke_agent", "the request"],
    ],
  );
  assert.equal(ended[0]?.attributes["gen_ai.tool.call.arguments"], undefined);
});

test("a turn that goes on after a death, and one that is cut short, have a span", () => {
  const start: Appended["event"] = { id: "evt_2", type: "span.model_request_start", model: "far/quiet" };
  const end: Appended["event"] = {
    type: "span.model_request_end",
    model_request_start_id: "evt_2",
    is_error: true,
    model_usage: null,
  };
  const [request, tool, turn] = endedBy([start, end, call], true);
  assert.deepEqual(
    [request?.name, request?.parent, request?.error],
    ["chat far/quiet", "span 1 invoke_agent", "model_request_failed"],
  );
  assert.equal(tool?.attributes["gen_ai.tool.call.arguments"], '{"command":"canary"}');
  assert.deepEqual([turn?.name, turn?.attributes["berth.outcome"]], ["invoke_agent", "interrupted"]);
});

test("requests and calls of a call's own loop lie below it, and count for the turn", () => {
  const nested = { parent_tool_use_id: "evt_1" };
  const explore: Appended["event"] = { ...call, name: "Explore" };
  const read: Appended["event"] = { ...call, id: "evt_3", name: "Read", ...nested };
  const start: Appended["event"] = {
    id: "evt_2",
    type: "span.model_request_start",
    model: "far/cheap",
    ...nested,
  };
  const end: Appended["event"] = {
    type: "span.model_request_end",
    model_request_start_id: "evt_2",
    is_error: false,
    model_usage: {
      input_tokens: 5,
      output_tokens: 1,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
    ...nested,
  };
  const result = (id: string, more: object): Appended["event"] => ({
    ...{ type: "agent.tool_result", tool_use_id: id, content: [], is_error: false },
    ...more,
  });
  const ended = endedBy([
    ...[{ type: "session.status_running" } as const, explore, start, read, end],
    ...[result("evt_3", nested), result("evt_1", {}), idle("end_turn")],
  ]);
  assert.deepEqual(
    ended.map(({ name, parent }) => [name, parent]),
    [
      ["chat far/cheap", "span 2 execute_tool Explore"],
      ["execute_tool Read", "span 2 execute_tool Explore"],
      ["execute_tool Explore", "span 1 invoke_agent"],
      ["invoke_agent", "the request"],
    ],
  );
  assert.equal(ended.at(-1)?.attributes["gen_ai.usage.input_tokens"], 5);
});
