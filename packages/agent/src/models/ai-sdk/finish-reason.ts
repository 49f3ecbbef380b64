import type { FinishReason } from "../model.ts";

/** What a provider's word for the end of a response means. `window`: the context window was full before the response was whole. */
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
 * Null for any word that is not known to be an ending, as `abort`, `error`, `network_error` or `insufficient_system_resource`:
 * the response was broken off. Servers differ in whether they report `stop` after a tool call, so the calls decide that.
 */
export function endingOf(word: string | null, hasToolCalls: boolean): Ending | null {
  const ending = word === null ? undefined : ENDINGS[word.toLowerCase().split(":", 1)[0] ?? ""];
  if (ending === "end_turn" || ending === "tool_calls") return hasToolCalls ? "tool_calls" : "end_turn";
  return ending ?? null;
}
