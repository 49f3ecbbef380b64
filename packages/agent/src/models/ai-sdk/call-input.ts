import type { AssistantBlock } from "../model.ts";

type CallInput = Pick<Extract<AssistantBlock, { type: "tool_call" }>, "input" | "malformed">;

/** How often some models put JSON into a string of JSON. */
const MAX_STRINGS = 2;

/**
 * The input of a call that the provider reported as complete. A JSON object is taken as it is, also from within a JSON string, and
 * an empty text as an object without fields. Anything else is `malformed`: the model is told, and nothing runs.
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
