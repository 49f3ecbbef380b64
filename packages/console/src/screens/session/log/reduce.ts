import {
  addOutput,
  type EventOf,
  type ModelUsage,
  parentCallOf,
  type SessionEvent,
  type StreamFrame,
  type ToolOutput,
} from "@berth/sdk";
import { failSetup, withSetup } from "./setup-steps.ts";
import {
  addUsage,
  type CallRow,
  type CallState,
  EMPTY_VIEW,
  NO_USAGE,
  type PreviewRow,
  type Row,
  type SessionView,
  type ToolResult,
  type ToolUse,
} from "./view.ts";

/**
 * A frame of the stream, or a note that the connection was lost. A lost connection voids previews; printed
 * output stays.
 */
export type LogInput = StreamFrame | { type: "connection_lost" };

/** A view that a batch is being applied to, with its own copies of what changes. */
type Draft = { -readonly [Key in keyof SessionView]: SessionView[Key] } & { rows: Row[]; open: Open };
type Open = { calls: Map<string, number>; inputs: number[]; setup: number | null; asked: number | null };

/**
 * Returns the view after a batch of the log. Pure: the final view does not depend on how the log is cut into
 * batches. The log may start at any event; a result without its call is left out.
 */
export function reduce(view: SessionView, batch: readonly LogInput[]): SessionView {
  const { calls, inputs } = view.open;
  const draft: Draft = {
    ...view,
    rows: batch.every(isPreview) ? (view.rows as Row[]) : [...view.rows],
    open: { ...view.open, calls: new Map(calls), inputs: [...inputs] },
  };
  for (const input of batch) apply(draft, input);
  return draft;
}

function isPreview({ type }: LogInput): boolean {
  return type === "event_start" || type === "event_delta" || type === "connection_lost";
}

function apply(draft: Draft, input: LogInput): void {
  switch (input.type) {
    case "event_start":
      draft.previews = [...draft.previews, previewOf(draft, input.event)];
      return;
    case "event_delta":
      draft.previews = draft.previews.map((row) =>
        row.id === input.event_id ? { ...row, text: row.text + input.delta.content.text } : row,
      );
      return;
    case "agent.tool_output":
      addPrinted(draft, input);
      return;
    case "connection_lost":
      draft.previews = [];
      return;
    default:
      draft.eventCount += 1;
      draft.newest = input.id;
      applyStored(draft, input);
  }
}

function previewOf({ turn }: Draft, { id, type }: { id: string; type: PreviewRow["type"] }): PreviewRow {
  return { kind: "preview", id, at: "", turn, type, text: "" };
}

function applyStored(draft: Draft, event: SessionEvent): void {
  const parent = parentCallOf(event);
  if (parent === null) applyEvent(draft, event);
  else applyNested(draft, parent, { ...event, parent_tool_use_id: undefined } as SessionEvent);
}

/** Applies an event of a call's own loop to that call's row, and adds its tokens to the session's usage. */
function applyNested(draft: Draft, parent: string, event: SessionEvent): void {
  if (event.type === "span.model_request_end" && event.model_usage !== null) spend(draft, event.model_usage);
  const row = callRow(draft, parent);
  if (row === undefined) return;
  const { model, view } = row.loop ?? { model: null, view: EMPTY_VIEW };
  const named = event.type === "span.model_request_start" ? event.model : model;
  changeCall(draft, parent, { loop: { model: named, view: reduce(view, [event]) } });
}

function spend(draft: Draft, usage: ModelUsage): void {
  draft.usage = addUsage(draft.usage, usage);
  draft.current = { ...draft.current, usage: addUsage(draft.current.usage, usage) };
}

function applyEvent(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "user.message":
      beginTurn(draft, event);
      draft.open.inputs.push(draft.rows.length);
      draft.rows.push({
        ...baseOf(draft, event),
        kind: "input",
        event,
        pending: event.processed_at === null,
      });
      return;
    case "agent.message": {
      const text = event.content.map((block) => block.text).join("");
      draft.previews = draft.previews.filter(({ id }) => id !== event.id);
      draft.rows.push({ ...baseOf(draft, event), kind: "text", text });
      return;
    }
    case "agent.thinking":
      draft.previews = draft.previews.filter(({ id }) => id !== event.id);
      draft.rows.push({ ...baseOf(draft, event), kind: "thinking" });
      return;
    case "agent.tool_use":
    case "agent.mcp_tool_use":
    case "agent.custom_tool_use":
      beginCall(draft, event);
      return;
    case "user.tool_confirmation":
      confirmCall(draft, event);
      return;
    case "agent.tool_result":
      endCall(draft, event.tool_use_id, event);
      return;
    case "agent.mcp_tool_result":
      endCall(draft, event.mcp_tool_use_id, event);
      return;
    case "user.custom_tool_result":
      endCall(draft, event.custom_tool_use_id, event);
      return;
    case "span.model_request_start":
      draft.requesting = true;
      draft.retry = null;
      draft.current = { ...draft.current, requests: draft.current.requests + 1 };
      takeInputs(draft);
      return;
    case "span.model_request_end":
      endRequest(draft, event);
      return;
    case "session.status_running":
      beginTurn(draft, event);
      draft.status = "running";
      return;
    case "session.status_idle":
      endTurn(draft, event);
      return;
    case "session.container_started":
      if (event.waited_seconds !== undefined && draft.status === "rescheduling") draft.status = "running";
      withSetup(draft, baseOf(draft, event), event);
      return;
    case "session.environment_progress":
    case "session.runtimes_chosen":
    case "session.devcontainer_read":
    case "session.resource_progress":
    case "session.resource_ready":
      withSetup(draft, baseOf(draft, event), event);
      return;
    case "session.usage":
      return;
    case "session.egress_denied":
      addDenial(draft, event);
      return;
    default:
      addNotice(draft, event);
      return;
  }
}

function baseOf({ turn }: Draft, { id, created_at: at }: SessionEvent) {
  return { id, at, turn };
}

/** Begins a turn with the first input or sign of life after the last turn ended. */
function beginTurn(draft: Draft, event: SessionEvent): void {
  if (draft.current.since !== null) return;
  draft.turn += 1;
  draft.current = { since: event.created_at, requests: 0, calls: 0, usage: NO_USAGE };
  draft.stopReason = null;
  draft.open.setup = null;
}

function endTurn(draft: Draft, event: EventOf<"session.status_idle">): void {
  const { since, ...counts } = draft.current;
  const seconds = since === null ? 0 : (Date.parse(event.created_at) - Date.parse(since)) / 1000;
  draft.rows.push({
    ...baseOf(draft, event),
    kind: "end",
    stopReason: event.stop_reason,
    summary: { seconds, ...counts },
    answered: false,
  });
  draft.status = "idle";
  draft.stopReason = event.stop_reason;
  draft.requesting = false;
  draft.retry = null;
  draft.previews = [];
  draft.current = { ...draft.current, since: null };
  draft.open.setup = null;
  if (event.stop_reason.type !== "requires_action") return;
  for (const id of event.stop_reason.event_ids) changeCall(draft, id, { state: "waiting" });
  draft.open.asked = draft.rows.length - 1;
  noteWaiting(draft);
}

function beginCall(draft: Draft, use: ToolUse): void {
  const state = stateAtFirst(use);
  draft.current = { ...draft.current, calls: draft.current.calls + 1 };
  draft.open.calls.set(use.id, draft.rows.length);
  const none = { result: null, output: null, confirmation: null, loop: null };
  draft.rows.push({ ...baseOf(draft, use), kind: "call", use, state, ...none });
  if (state === "waiting") noteWaiting(draft);
}

function stateAtFirst(use: ToolUse): CallState {
  if (use.type === "agent.custom_tool_use" || use.evaluated_permission === "ask") return "waiting";
  return use.evaluated_permission === "deny" ? "denied" : "running";
}

function confirmCall(draft: Draft, event: EventOf<"user.tool_confirmation">): void {
  const state = event.result === "allow" ? "running" : "denied";
  changeCall(draft, event.tool_use_id, { state, confirmation: event });
  noteWaiting(draft);
}

function endCall(draft: Draft, id: string, result: ToolResult): void {
  const row = callRow(draft, id);
  if (row === undefined) return;
  const state = row.state === "denied" ? "denied" : result.is_error ? "failed" : "done";
  changeCall(draft, id, { state, result, output: null });
  draft.open.calls.delete(id);
  noteWaiting(draft);
}

/** Adds output to a running call. Output of a call that is unknown or over is dropped. */
function addPrinted(draft: Draft, piece: ToolOutput): void {
  const row = callRow(draft, piece.tool_use_id);
  if (row !== undefined) changeCall(draft, row.id, { output: addOutput(row.output ?? undefined, piece) });
}

function callRow(draft: Draft, id: string): CallRow | undefined {
  const row = draft.rows[draft.open.calls.get(id) ?? -1];
  return row?.kind === "call" ? row : undefined;
}

function changeCall(draft: Draft, id: string, change: Partial<CallRow>): void {
  const row = callRow(draft, id);
  if (row !== undefined) draft.rows[draft.open.calls.get(id) ?? -1] = { ...row, ...change };
}

/**
 * Updates the list of waiting calls. When the last call is answered, the turn that ended for those calls is
 * marked as answered.
 */
function noteWaiting(draft: Draft): void {
  draft.waiting = waitingCalls(draft);
  const { asked } = draft.open;
  if (asked === null || draft.waiting.length > 0) return;
  const row = draft.rows[asked];
  if (row?.kind === "end") draft.rows[asked] = { ...row, answered: true };
  draft.open.asked = null;
}

function waitingCalls(draft: Draft): string[] {
  return [...draft.open.calls.keys()].filter((id) => callRow(draft, id)?.state === "waiting");
}

/** Marks all inputs as taken, since a model request includes every pending input. */
function takeInputs(draft: Draft): void {
  for (const index of draft.open.inputs) {
    const row = draft.rows[index];
    if (row?.kind === "input") draft.rows[index] = { ...row, pending: false };
  }
  draft.open.inputs = [];
}

function endRequest(draft: Draft, { model_usage: usage, is_error }: EventOf<"span.model_request_end">): void {
  draft.requesting = false;
  if (draft.status === "rescheduling" && !is_error) draft.status = "running";
  // A preview that has not become an event by the end of its request never will.
  draft.previews = [];
  if (usage !== null) spend(draft, usage);
}

/** Adds a denial to the row of the denials just before it, or starts a row. */
function addDenial(draft: Draft, event: EventOf<"session.egress_denied">): void {
  const last = draft.rows.at(-1);
  if (last?.kind === "denied")
    draft.rows[draft.rows.length - 1] = { ...last, denials: [...last.denials, event] };
  else draft.rows.push({ ...baseOf(draft, event), kind: "denied", denials: [event] });
}

function addNotice(draft: Draft, event: Parameters<typeof noticeStatus>[0]): void {
  if (
    event.type === "session.error" &&
    event.error.resource_id !== undefined &&
    event.error.retry_status.type !== "retrying"
  )
    failSetup(draft, event.error.resource_id);
  draft.status = noticeStatus(event) ?? draft.status;
  if (addRetry(draft, event)) return;
  if (event.type === "session.status_terminated") {
    draft.open.calls.clear();
    noteWaiting(draft);
  }
  draft.rows.push({ ...baseOf(draft, event), kind: "notice", event });
}

/**
 * Adds an event about a failed request that is retried. Such events share a row while nothing else happens.
 * Returns false when the event needs a row of its own.
 */
function addRetry(draft: Draft, event: Parameters<typeof noticeStatus>[0]): boolean {
  const last = draft.rows.at(-1);
  const failures = last?.kind === "retries" ? last.failures : [];
  if (event.type === "session.status_rescheduled" && event.retry_at !== undefined) {
    draft.retry = { at: event.retry_at, why: failures.at(-1)?.error.type ?? null };
    return failures.length > 0;
  }
  if (event.type !== "session.error" || !isRetried(event)) return false;
  if (last?.kind === "retries")
    draft.rows[draft.rows.length - 1] = { ...last, failures: [...failures, event] };
  else draft.rows.push({ ...baseOf(draft, event), kind: "retries", failures: [event] });
  return true;
}

function isRetried({ error }: EventOf<"session.error">): boolean {
  return error.retry_status.type === "retrying" && error.type.startsWith("model_");
}

function noticeStatus(event: Extract<Row, { kind: "notice" }>["event"]): SessionView["status"] {
  if (event.type === "session.status_rescheduled") return "rescheduling";
  if (event.type === "session.status_terminated") return "terminated";
  return event.type === "session.deleted" ? "deleted" : null;
}
