import type { AssistantBlock } from "../model.ts";

type CallInput = Pick<Extract<AssistantBlock, { type: "tool_call" }>, "input" | "malformed">;

/** Maximum layers of JSON strings around the object, which some models produce. */
const MAX_STRINGS = 2;

/**
 * Parses the input of a call that the provider reported as complete. A JSON object is accepted, also within a
 * JSON string; an empty text is an object without fields. Anything else is `malformed`: the model gets an
 * error, and nothing runs.
 */
export function callInput(text: string): CallInput {
  let value: unknown = parsed(text.trim() === "" ? "{}" : text);
  for (let depth = 0; depth < MAX_STRINGS && typeof value === "string"; depth++) value = parsed(value);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { input: value as Record<string, unknown> } : { input: {}, malformed: text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
