import type { NewEvent, SessionEvent } from "@berth/contract";
import type { Omission } from "./omission.ts";

/**
 * An entry of a session's log as the loop reads and writes it. The loop has no other state: after a crash at
 * any point, another process resumes from the log.
 */
export interface LogEntry {
  /** Starts at 1, without gaps, in commit order. */
  seq: number;
  event: SessionEvent;
  /** Data for the model that clients do not see. */
  memo: Memo | null;
}

/** An event to append, with its memo. `id` is set when later events of the same append refer to it. */
export interface Draft {
  id?: string;
  event: NewEvent;
  memo?: Memo;
}

/**
 * Data stored beside an event and never returned by the API.
 * - `agent.message`, `agent.thinking`: the block's `opaque`, and the text of the thinking.
 * - `agent.tool_use`, `agent.mcp_tool_use`, `agent.custom_tool_use`: the provider's id of the call and its
 *   `opaque`. `tool_name` and `tool_input` are the name and the input as the model gave them, if the event
 *   has others.
 * - `agent.context_compacted`: the summary that replaces everything before it, and in `kept` the newest user
 *   message; `keeps_images` when that message's images are kept too. `messages` are the user's earlier
 *   messages, the first whole and the others shortened; `files` the paths of the changed files; `results` a
 *   text of the newest results. `answer` is the text of the newest response, present when no response was due
 *   because the model waited for the user. `context_window` and `omitted_tools`, as in an omission, are
 *   repeated so that they outlast the compaction.
 * - `agent.content_omitted`: what is left out of the history from here on; also `context_window`, in tokens,
 *   as learned from a rejected request.
 * - `span.model_request_end`: in `text`, a note for the model before its next response, such as that the last
 *   one was truncated.
 */
export interface Memo {
  text?: string;
  kept?: string;
  keeps_images?: true;
  messages?: readonly string[];
  files?: readonly string[];
  results?: string;
  answer?: string;
  context_window?: number;
  omitted_tools?: Readonly<Record<string, string>>;
  omissions?: readonly Omission[];
  call_id?: string;
  tool_name?: string;
  tool_input?: Record<string, unknown>;
  opaque?: Record<string, unknown>;
}
