import { estimatePrefixTokens, estimateTokens } from "../src/models/estimate-tokens.ts";
import type {
  AssistantBlock,
  FinishReason,
  Model,
  ModelError,
  ModelPart,
  ModelRequest,
} from "../src/models/model.ts";

/** One response: blocks with a finish reason, an error after optional blocks, or none until the abort. */
export type ScriptedResponse =
  | { blocks: AssistantBlock[]; reason?: FinishReason }
  | { error: ModelError | Error; after?: AssistantBlock[] }
  | { hangs: true };

export interface ScriptedModel extends Model {
  /** Copies of every request so far. */
  readonly requests: ModelRequest[];
}

/** Creates a model with a list of responses, or a function that makes one for each request. */
export function scriptedModel(
  responses: readonly ScriptedResponse[] | ((request: ModelRequest, index: number) => ScriptedResponse),
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
      const response = typeof responses === "function" ? responses(request, index) : responses[index];
      if (response === undefined) throw new Error(`No response for request ${index + 1}.`);
      yield* play(response, request, signal);
    },
  };
}

async function* play(
  response: ScriptedResponse,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  if ("hangs" in response) {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return;
  }
  const blocks = "error" in response ? (response.after ?? []) : response.blocks;
  for (const [blockIndex, block] of blocks.entries()) {
    if (block.type === "text") yield { type: "text_delta", text: block.text, blockIndex };
    if (block.type === "thinking") yield { type: "thinking_started", blockIndex };
    yield { type: "block", block, blockIndex };
  }
  if ("error" in response) throw response.error;
  const calls = blocks.some((block) => block.type === "tool_call");
  yield {
    type: "finish",
    reason: response.reason ?? (calls ? "tool_calls" : "end_turn"),
    usage: {
      input_tokens: estimatePrefixTokens(request) + estimateTokens(request.messages),
      output_tokens: estimateTokens([{ role: "assistant", content: blocks }]),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  };
}

export function says(text: string): ScriptedResponse {
  return { blocks: [{ type: "text", text }] };
}

let calls = 0;

export function toolCall(name: string, input: Record<string, unknown> = {}): AssistantBlock {
  calls += 1;
  return { type: "tool_call", id: `call_${calls}`, name, input };
}
