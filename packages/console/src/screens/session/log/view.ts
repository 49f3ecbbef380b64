import type { EventOf, ModelUsage, OutputText, SessionStatus, StopReason } from "@berth/sdk";

/** The state of a tool call. */
export type CallState =
  /** It runs, or is about to. */
  | "running"
  /** Somebody has to allow it or give its result. */
  | "waiting"
  | "done"
  | "failed"
  /** The agent's settings or a person denied it. */
  | "denied";

export type ToolUse = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
export type ToolResult = EventOf<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

type Base = {
  /** The id of the row's first event, which links and scroll positions use. */
  id: string;
  at: string;
  /** The number of the turn, from 1; 0 before the first turn. */
  turn: number;
};

export type InputRow = Base & {
  kind: "input";
  event: EventOf<"user.message">;
  /** Whether no model request has included it yet. */
  pending: boolean;
};
export type TextRow = Base & { kind: "text"; text: string };
export type ThinkingRow = Base & { kind: "thinking" };
export type CallRow = Base & {
  kind: "call";
  use: ToolUse;
  state: CallState;
  result: ToolResult | null;
  /** The output so far, while the call runs; else null. */
  output: OutputText | null;
  confirmation: EventOf<"user.tool_confirmation"> | null;
  /** The call's own loop; null where it has none. */
  loop: CallLoop | null;
};
/** The own loop of a call, as a log of its own. */
export type CallLoop = { model: string | null; view: SessionView };
/** The preparations before a command can run: system, packages, clones, the container. */
export type SetupRow = Base & { kind: "setup"; steps: readonly SetupStep[] };
export type DeniedRow = Base & { kind: "denied"; denials: readonly EventOf<"session.egress_denied">[] };
/** Consecutive model requests that failed and are retried. */
export type RetriesRow = Base & { kind: "retries"; failures: readonly EventOf<"session.error">[] };
export type NoticeRow = Base & { kind: "notice"; event: NoticeEvent };
export type EndRow = Base & {
  kind: "end";
  stopReason: StopReason;
  summary: TurnSummary;
  /** Whether all calls that the turn ended for have been answered. */
  answered: boolean;
};
/** A text that is being written; its event follows with the same id. */
export type PreviewRow = Base & { kind: "preview"; type: "agent.message" | "agent.thinking"; text: string };

export type Row =
  | InputRow
  | TextRow
  | ThinkingRow
  | CallRow
  | SetupRow
  | DeniedRow
  | RetriesRow
  | NoticeRow
  | EndRow
  | PreviewRow;

export type NoticeEvent = EventOf<
  | "system.message"
  | "user.interrupt"
  | "agent.context_compacted"
  | "agent.content_omitted"
  | "session.status_rescheduled"
  | "session.status_terminated"
  | "session.updated"
  | "session.deleted"
  | "session.confirmation_rule_added"
  | "session.confirmation_rule_removed"
  | "session.follow_started"
  | "session.follow_handed_over"
  | "session.follow_stopped"
  | "session.error"
  | "session.container_reclaimed"
  | "session.events_deleted"
>;

export type SetupStep = {
  /** The subject of the step: a resource's id, or a phase of the environment. */
  key: string;
  kind: "resource" | "environment" | "container" | "choice";
  /** The newest phase of a resource; for an environment the phase itself. */
  phase: string;
  percent: number | null;
  /** The duration; null while the step goes on. */
  seconds: number | null;
  commit: string | null;
  /** What the session chose from its repositories; null for other steps. */
  choice: string | null;
  note: string | null;
  failed: boolean;
};

export type TurnSummary = {
  /** Seconds from the first event of the turn to its end. */
  seconds: number;
  requests: number;
  calls: number;
  usage: ModelUsage;
};

/**
 * The state of a session's screen, derived from its log. Immutable: each batch of events makes a new one that
 * shares unchanged rows.
 */
export type SessionView = {
  rows: readonly Row[];
  previews: readonly PreviewRow[];
  status: SessionStatus | "deleted" | null;
  /** The ids of the call events that wait for somebody, in order. */
  waiting: readonly string[];
  stopReason: StopReason | null;
  /** The usage of all turns together. */
  usage: ModelUsage;
  /** Whether a model request is running. */
  requesting: boolean;
  /** The time of the model request's retry, and the type of the last error; null while none is waiting. */
  retry: { at: string; why: string | null } | null;
  turn: number;
  /** The counts of the current turn, or of the last one. */
  current: { since: string | null; requests: number; calls: number; usage: ModelUsage };
  eventCount: number;
  newest: string | null;
  /** The indexes of rows that later events can still change, by what these events name. */
  open: {
    calls: ReadonlyMap<string, number>;
    inputs: readonly number[];
    setup: number | null;
    /** The end row of a turn whose calls wait. */
    asked: number | null;
  };
};

export const NO_USAGE: ModelUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export const EMPTY_VIEW: SessionView = {
  rows: [],
  previews: [],
  status: null,
  waiting: [],
  stopReason: null,
  usage: NO_USAGE,
  requesting: false,
  retry: null,
  turn: 0,
  current: { since: null, requests: 0, calls: 0, usage: NO_USAGE },
  eventCount: 0,
  newest: null,
  open: { calls: new Map(), inputs: [], setup: null, asked: null },
};

export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_read_input_tokens: one.cache_read_input_tokens + other.cache_read_input_tokens,
    cache_creation_input_tokens: one.cache_creation_input_tokens + other.cache_creation_input_tokens,
  };
}
