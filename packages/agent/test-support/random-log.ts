import type { NewEvent } from "@berth/contract";
import fc from "fast-check";
import { callKind, isToolUse, type ToolUseEvent, toolResultEvent } from "../src/history/call-events.ts";
import type { Draft, LogEntry } from "../src/history/log-entry.ts";
import { nestedDraft } from "../src/history/nested-events.ts";
import type { Omission } from "../src/history/omission.ts";
import * as notes from "../src/prompts/notes.ts";
import { MemoryLog } from "./memory-log.ts";

/** A step of a generated session. */
type Step =
  | { kind: "message"; text: string }
  | { kind: "interrupt" }
  | { kind: "reclaim" }
  | {
      kind: "request";
      ends: "clean" | "cut" | "failed" | "dies";
      text: string;
      thinking: boolean;
      calls: number;
      omission: Omission | null;
    }
  | { kind: "compaction"; text: string };

const from = fc.nat(6);
const place = fc.record({ message: fc.nat(8), block: fc.nat(3) });
const omission: fc.Arbitrary<Omission> = fc.oneof(
  fc.record({ of: fc.constant("blocks" as const), places: fc.array(place, { maxLength: 3 }) }),
  fc.record({ of: fc.constant("media" as const), types: fc.constant(["image", "document"] as const), from }),
  fc.record({ of: fc.constant("thinking" as const) }),
  fc.record({ of: fc.constant("round" as const), from }),
  fc.record({ of: fc.constant("tools" as const), digests: fc.constant({ mcp__a__b: "0123" }) }),
  fc.record({ of: fc.constant("size" as const), budget: fc.nat(400) }),
  fc.record({ of: fc.constant("messages" as const), maxLength: fc.nat(100), forgets: fc.boolean() }),
);

const text = fc.string({ minLength: 0, maxLength: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("message" as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("interrupt" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reclaim" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      ends: fc.constantFrom(
        "clean" as const,
        "clean" as const,
        "cut" as const,
        "failed" as const,
        "dies" as const,
      ),
      text,
      thinking: fc.boolean(),
      calls: fc.integer({ min: 0, max: 3 }),
      omission: fc.option(omission, { freq: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compaction" as const), text }) },
);

/**
 * Generates logs that begin with a message; with `compaction` also with summaries and omitted content.
 * Messages also arrive while tools run, and results come in any order.
 */
export function randomLog(kinds: { compaction: boolean }): fc.Arbitrary<readonly LogEntry[]> {
  const allowed = step.filter(({ kind }) => kinds.compaction || kind !== "compaction");
  return fc
    .tuple(fc.array(allowed, { maxLength: 25 }), fc.infiniteStream(fc.nat(5)))
    .map(([steps, chance]) => {
      const log = new MemoryLog();
      const store = (...drafts: Draft[]) => log.store(drafts);
      log.message("begin");
      for (const event of steps) {
        if (event.kind === "request" && !kinds.compaction) event.omission = null;
        play(event, log, store, () => chance.next().value);
      }
      return log.entries;
    });
}

function play(
  event: Step,
  log: MemoryLog,
  store: (...drafts: Draft[]) => readonly LogEntry[],
  chance: () => number,
): void {
  switch (event.kind) {
    case "message":
      log.message(event.text);
      break;
    case "interrupt":
      log.send({ type: "user.interrupt" });
      break;
    case "reclaim":
      store({ event: { type: "session.container_reclaimed", reason: "inactivity" } });
      break;
    case "compaction":
      store({
        event: { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
        memo: { text: event.text, kept: "kept" },
      });
      break;
    case "request":
      request(event, log, store, chance);
      break;
  }
}

function request(
  event: Extract<Step, { kind: "request" }>,
  log: MemoryLog,
  store: (...drafts: Draft[]) => readonly LogEntry[],
  chance: () => number,
): void {
  const [start] = store({ event: { type: "span.model_request_start", model: "m/m" } });
  if (event.ends === "dies" || start === undefined) return;
  const end = (failed: boolean): Draft => ({
    event: {
      type: "span.model_request_end",
      model_request_start_id: start.event.id,
      is_error: failed,
      model_usage: null,
    },
  });
  if (event.ends === "failed") {
    store(end(true));
    return;
  }
  const cut = event.ends === "cut";
  const answer = store(
    ...(event.omission === null ? [] : [omitted(event.omission)]),
    ...blocks(event, cut, start.seq),
    cut ? { ...end(false), memo: { text: notes.TRUNCATED_RESPONSE } } : end(false),
  );
  const uses = answer.map((entry) => entry.event).filter(isToolUse);
  if (chance() === 0) log.message("meanwhile");
  if (chance() % 2 === 0) uses.reverse();
  for (const use of uses) {
    if (use.type === "agent.tool_use" && chance() < 2) explore(use, store, chance() < 3);
    // A dead process leaves a call without a result, which the next loop would end first.
    if (chance() === 0) continue;
    if (chance() === 0) log.send({ type: "user.interrupt" });
    settle(use, log, store, chance);
  }
}

/** Adds the nested loop of a call, up to its end or, as a dead process leaves it, to its middle. */
function explore(
  { id }: ToolUseEvent,
  store: (...drafts: Draft[]) => readonly LogEntry[],
  isWhole: boolean,
): void {
  const nested = (event: NewEvent, memo?: Draft["memo"]) =>
    store(nestedDraft({ event, ...(memo !== undefined && { memo }) }, id));
  const [start] = nested({ type: "span.model_request_start", model: "m/cheap" });
  nested({ type: "agent.message", content: [{ type: "text", text: "nested" }] });
  nested(
    { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
    { text: "nested" },
  );
  nested(call(0, 0));
  if (!isWhole || start === undefined) return;
  const usage = {
    input_tokens: 9,
    output_tokens: 9,
    cache_read_input_tokens: 9,
    cache_creation_input_tokens: 9,
  };
  nested({
    type: "span.model_request_end",
    model_request_start_id: start.event.id,
    is_error: false,
    model_usage: usage,
  });
}

/** Adds the events of clients and of the loop for a call. */
function settle(
  use: ToolUseEvent,
  log: MemoryLog,
  store: (...drafts: Draft[]) => readonly LogEntry[],
  chance: () => number,
): void {
  const result = {
    content: [{ type: "text" as const, text: `result of ${use.id}` }],
    is_error: false,
  };
  if (use.type === "agent.custom_tool_use" && chance() > 0) {
    log.send({ type: "user.custom_tool_result", custom_tool_use_id: use.id, ...result });
    return;
  }
  if (use.type !== "agent.custom_tool_use" && use.evaluated_permission === "ask") {
    const decision = chance() % 2 === 0 ? "allow" : "deny";
    log.send({ type: "user.tool_confirmation", tool_use_id: use.id, result: decision });
    if (chance() === 0) log.message("between");
  }
  store(toolResultEvent({ eventId: use.id, kind: callKind(use) }, result));
}

function omitted(omission: Omission): Draft {
  return {
    event: { type: "agent.content_omitted", reason: "rejected", omitted: [{ type: "text", count: 1 }] },
    memo: { omissions: [omission] },
  };
}

function blocks(event: Extract<Step, { kind: "request" }>, cut: boolean, start: number): Draft[] {
  const drafts: Draft[] = [];
  if (event.thinking && !cut) {
    drafts.push({ event: { type: "agent.thinking" }, memo: { text: "hm", opaque: { signature: "s" } } });
  }
  if (event.text.trim() !== "") {
    drafts.push({ event: { type: "agent.message", content: [{ type: "text", text: event.text }] } });
  }
  for (let index = 0; index < (cut ? 0 : event.calls); index++) {
    drafts.push({
      event: call(start + index, index),
      ...(index === 1 ? {} : { memo: { call_id: `call_${start}_${index}` } }),
    });
  }
  return drafts;
}

/** Returns a call that runs at once, one that needs a confirmation, or one of a custom tool. */
function call(kind: number, index: number): NewEvent {
  const told = { name: "Echo", input: { index } };
  const asked = { ...told, evaluated_permission: "ask" as const };
  switch (kind % 4) {
    case 0:
      return { type: "agent.tool_use", ...told, evaluated_permission: "allow" };
    case 1:
      return { type: "agent.tool_use", ...asked };
    case 2:
      return { type: "agent.mcp_tool_use", mcp_server_name: "echoes", ...asked };
    default:
      return { type: "agent.custom_tool_use", ...told };
  }
}
