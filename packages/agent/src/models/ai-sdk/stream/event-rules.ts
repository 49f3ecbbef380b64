/** The data of one event of a stream. */
export type Data = Record<string, unknown>;

/** What a stream says besides what the AI SDK makes of it. */
export interface StreamNotes {
  /** The provider's own word for why the response ended; null until it has said one. */
  finishReason: string | null;
  /** Of the tokens that the provider's cache took, those that it keeps for an hour, which the AI SDK does not hand on. */
  writtenForHour: number;
  /** Where the model's reasoning stands in the provider's messages; null where the AI SDK's own place for it is right. */
  reasoningField: ReasoningField | null;
  /** What OpenRouter sends beside the reasoning: signatures and sealed parts, which it wants back as they were. */
  reasoningDetails: Data[];
}

/**
 * The places for reasoning in Chat Completions besides `reasoning_content`: a field of that name, or a `thinking` part of the
 * content.
 */
export type ReasoningField = "reasoning" | "thinking";

/** What an event is: events for the AI SDK in its place (none: it is ignored), or a failure that the server reports. */
export type Reading = { events: readonly Data[] } | { failure: unknown };

/** Reads the events of one stream, in order. */
export type EventReader = (data: Data) => Reading;

/** Makes the reader of a new stream, which writes what it finds out into `notes`. */
export type EventRules = (notes: StreamNotes) => EventReader;

export const IGNORED: Reading = { events: [] };

export function isObject(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of `names` in `from` whose values are of this type. */
export function picked(from: unknown, names: readonly string[], type: "string" | "number"): Data {
  const is = (value: unknown) => (type === "string" ? typeof value === "string" : typeof value === "number");
  if (!isObject(from)) return {};
  return Object.fromEntries(names.flatMap((name) => (is(from[name]) ? [[name, from[name]]] : [])));
}
