import { estimatePrefixTokens, estimateTokens } from "../src/models/estimate-tokens.ts";
import type {
  AssistantBlock,
  FinishReason,
  Model,
  ModelError,
  ModelPart,
  ModelRequest,
} from "../src/models/model.ts";

/** One answer: blocks and how they end, a failure (after the blocks, if any are given), or a wait until the abort. */
export type ScriptedAnswer =
  | { blocks: AssistantBlock[]; reason?: FinishReason }
  | { error: ModelError | Error; after?: AssistantBlock[] }
  | { hangs: true };

export interface ScriptedModel extends Model {
  /** Every request so far, as it was sent. */
  readonly requests: ModelRequest[];
}

/** A model that gives these answers one after another, or those that a function makes of each request. */
export function scriptedModel(
  answers: readonly ScriptedAnswer[] | ((request: ModelRequest, index: number) => ScriptedAnswer),
  limits: { contextWindow?: number; maxOutputTokens?: number } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const { contextWindow = 200_000, maxOutputTokens = 8_000 } = limits;
  return {
    id: "scripted/model",
    contextWindow,
    maxOutputTokens,
    requests,
    async *stream(request, signal) {
      const index = requests.push(structuredClone(request)) - 1;
      const answer = typeof answers === "function" ? answers(request, index) : answers[index];
      if (answer === undefined) throw new Error(`No answer for request ${index + 1}.`);
      yield* play(answer, request, signal);
    },
  };
}

async function* play(
  answer: ScriptedAnswer,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  if ("hangs" in answer) {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return;
  }
  const blocks = "error" in answer ? (answer.after ?? []) : answer.blocks;
  for (const [blockIndex, block] of blocks.entries()) {
    if (block.type === "text") yield { type: "text_delta", text: block.text, blockIndex };
    if (block.type === "thinking") yield { type: "thinking_started", blockIndex };
    yield { type: "block", block, blockIndex };
  }
  if ("error" in answer) throw answer.error;
  const calls = blocks.some((block) => block.type === "tool_call");
  yield {
    type: "finish",
    reason: answer.reason ?? (calls ? "tool_calls" : "end_turn"),
    usage: {
      input_tokens: estimatePrefixTokens(request) + estimateTokens(request.messages),
      output_tokens: estimateTokens([{ role: "assistant", content: blocks }]),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  };
}

export function says(text: string): ScriptedAnswer {
  return { blocks: [{ type: "text", text }] };
}

let calls = 0;

export function toolCall(name: string, input: Record<string, unknown> = {}): AssistantBlock {
  calls += 1;
  return { type: "tool_call", id: `call_${calls}`, name, input };
}
