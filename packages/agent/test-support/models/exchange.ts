import {
  type AssistantBlock,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from "../../src/models/model.ts";

/** The parts of one response, and how the request ended. */
export interface Outcome {
  parts: ModelPart[];
  blocks: AssistantBlock[];
  text: string;
  finish: Extract<ModelPart, { type: "finish" }> | null;
  /** The error that was thrown, usually a `ModelError`. */
  error: unknown;
}

/** Sends a request and reads its response to the end. Errors are part of the outcome. */
export async function exchange(
  model: Model,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<Outcome> {
  const parts: ModelPart[] = [];
  let error: unknown = null;
  try {
    for await (const part of model.stream(request, signal)) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return {
    parts,
    blocks: parts.flatMap((part) => (part.type === "block" ? [part.block] : [])),
    text: parts.map((part) => (part.type === "text_delta" ? part.text : "")).join(""),
    finish: parts.find((part) => part.type === "finish") ?? null,
    error,
  };
}

/** The `ModelError` of a failed request. Throws when there is none. */
export function modelErrorOf(outcome: Outcome): ModelError {
  if (outcome.error instanceof ModelError) return outcome.error;
  throw new Error("The request did not fail with a ModelError.", { cause: outcome.error });
}

export const lookTool = {
  name: "Look",
  description: "Looks at something.",
  inputSchema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
};

/** Returns a first request with a user's text and the tool Look. */
export function ask(text: string): ModelRequest {
  return {
    system: "You help.",
    tools: [lookTool],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  };
}

/** Returns the next request, with the response's blocks and a result for each of its calls. */
export function continued(
  request: ModelRequest,
  blocks: readonly AssistantBlock[],
  result: string,
): ModelRequest {
  const calls = blocks.flatMap((block) => (block.type === "tool_call" ? [block] : []));
  const results = calls.map(({ id, name }) => ({
    id,
    name,
    content: [{ type: "text" as const, text: `${result} ${id}` }],
    isError: false,
  }));
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: blocks },
      { role: "tool", content: results },
    ],
  };
}
