import type { FinishReason } from "../model.ts";

/** The meaning of a finish reason. `window`: the window was full before the response was complete. */
export type Ending = FinishReason | "window";

const ENDINGS: Readonly<Record<string, Ending>> = {
  stop: "end_turn",
  end_turn: "end_turn",
  stop_sequence: "end_turn",
  eos: "end_turn",
  eos_token: "end_turn",
  completed: "end_turn",
  tool_call: "tool_calls",
  tool_calls: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  length: "max_tokens",
  max_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  content_filter: "refusal",
  refusal: "refusal",
  sensitive: "refusal",
  model_length: "window",
  model_context_window_exceeded: "window",
};

/**
 * Returns null for an unknown reason, such as `abort`, `error`, `network_error` or
 * `insufficient_system_resource`: the response was interrupted. Servers differ in whether they report `stop`
 * after a tool call, so the calls decide that.
 */
export function endingOf(word: string | null, hasToolCalls: boolean): Ending | null {
  const ending = word === null ? undefined : ENDINGS[word.toLowerCase().split(":", 1)[0] ?? ""];
  if (ending === "end_turn" || ending === "tool_calls") return hasToolCalls ? "tool_calls" : "end_turn";
  return ending ?? null;
}
