import type { EventOf, ModelUsage, OutputText, SessionStatus, StopReason } from "@berth/sdk";

/** What a call of a tool came to. */
export type CallState =
  /** It runs, or is about to. */
  | "running"
  /** Somebody has to allow it, or to give its result. */
  | "waiting"
  | "done"
  | "failed"
  /** The agent's settings or a person forbade it. */
  | "denied";

export type ToolUse = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
export type ToolResult = EventOf<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

type Base = {
  /** Of the event that the row begins with: links and scroll positions name it. */
  id: string;
  at: string;
  /** The number of the turn, from 1. 0 for what was before the first. */
  turn: number;
};

export type InputRow = Base & {
  kind: "input";
  event: EventOf<"user.message"> /** No request to the model has had it yet. */;
  pending: boolean;
};
export type TextRow = Base & { kind: "text"; text: string };
export type ThinkingRow = Base & { kind: "thinking" };
export type CallRow = Base & {
  kind: "call";
  use: ToolUse;
  state: CallState;
  result: ToolResult | null;
  /** What it printed so far, while it runs. */
  output: OutputText | null;
  confirmation: EventOf<"user.tool_confirmation"> | null;
  /** What its own loop did; null where it has none. */
  loop: CallLoop | null;
};
/** The loop of a call that has its own, as a log of its own. */
export type CallLoop = { model: string | null; view: SessionView };
/** What is made ready before a command can run: system, packages, clones, the container. */
export type SetupRow = Base & { kind: "setup"; steps: readonly SetupStep[] };
export type DeniedRow = Base & { kind: "denied"; denials: readonly EventOf<"session.egress_denied">[] };
/** Requests to the model that failed and are tried again, one after the other. */
export type RetriesRow = Base & { kind: "retries"; failures: readonly EventOf<"session.error">[] };
export type NoticeRow = Base & { kind: "notice"; event: NoticeEvent };
export type EndRow = Base & {
  kind: "end";
  stopReason: StopReason;
  summary: TurnSummary;
  /** The calls for which the turn ended have had their answers. */
  answered: boolean;
};
/** Written at this moment; the event follows with the same id. */
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
  | "session.error"
  | "session.container_reclaimed"
  | "session.events_deleted"
>;

export type SetupStep = {
  /** What the step is about: a resource's id, or a phase of the environment. */
  key: string;
  kind: "resource" | "environment" | "container";
  /** The newest phase of a resource; the phase itself of an environment. */
  phase: string;
  percent: number | null;
  /** Null while it goes on. */
  seconds: number | null;
  commit: string | null;
  note: string | null;
  failed: boolean;
};

export type TurnSummary = {
  /** From the first event of the turn to its end, in seconds. */
  seconds: number;
  requests: number;
  calls: number;
  usage: ModelUsage;
};

/** What the log comes to, for the screen. A value: each batch of events makes a new one, with the rows that did not change. */
export type SessionView = {
  rows: readonly Row[];
  previews: readonly PreviewRow[];
  status: SessionStatus | "deleted" | null;
  /** The calls that wait for somebody, in their order: ids of their events. */
  waiting: readonly string[];
  stopReason: StopReason | null;
  /** All turns together. */
  usage: ModelUsage;
  /** A request to the model is under way. */
  requesting: boolean;
  /** When the model is asked again, while the session waits for that, and the type of the last failure. */
  retry: { at: string; why: string | null } | null;
  turn: number;
  /** Of the turn that goes on, or the last one. */
  current: { since: string | null; requests: number; calls: number; usage: ModelUsage };
  eventCount: number;
  newest: string | null;
  /** Rows that later events still change, by what these events name. */
  open: {
    calls: ReadonlyMap<string, number>;
    inputs: readonly number[];
    setup: number | null;
    /** The end of a turn whose calls wait. */
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
