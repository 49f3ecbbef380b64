import type { AppliedRule } from "../calls/authorize-call.ts";
import type { CallContext } from "../calls/run-calls.ts";
import type { Log } from "../history/log.ts";
import type { ReadFile } from "../history/message-files.ts";
import type { RequestPrefix } from "../requests/context-window.ts";
import type { OnPreview, TextStreams } from "../requests/response-preview.ts";
import type { RequestOptions } from "../requests/turn-requests.ts";
import type { Tool } from "../tools/tool.ts";
import type { GapParts } from "./gap-clock.ts";

/** Everything that a turn needs. */
export interface Turn extends CallContext, RequestOptions {
  /** Facts about the session for the system prompt, such as its mounts; the same for the whole session. */
  workspaceDescription: string;
  tools: readonly Tool[];
  log: Log;
  /** Returns the session's rules, read when a call would wait for a confirmation. Default: there are none. */
  confirmationRules?: () => Promise<readonly AppliedRule[]>;
  /** Reads a file that a message refers to. */
  readFile: ReadFile;
  /** Receives the response while it streams. The pieces are not stored, and the call is not awaited. */
  preview?: OnPreview;
  /** Called when a response's first part has arrived, with the id of its `span.model_request_start`. */
  onFirstPart?: (requestId: string) => void;
  /** Called when a request that directly follows a response is sent, with the parts of that time. */
  onGap?: (parts: GapParts) => void;
  /** Filters each text of a response before it is previewed. Default: the text is unchanged. */
  previewStream?: TextStreams;
  /** Called when a turn ends and the session waits for its user, with the time for `summariseIdle`. */
  onPause?: (summary: SummaryTime | null) => void;
  /** Maximum model requests in one turn, for an agent that sets no limit itself. Default 500. */
  maxRequests?: number;
  /** Input and output tokens of one turn after which no request begins. Default: unlimited. */
  maxTokens?: number;
  /** The prefix of every request. Default: made from the agent, the workspace and the tools. */
  prefix?: RequestPrefix;
}

/** The time to summarise a waiting session, and the end of its use, in milliseconds since 1970. */
export interface SummaryTime {
  at: number;
  until: number;
}
