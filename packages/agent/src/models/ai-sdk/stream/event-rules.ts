/** The data of one event of a stream. */
export type Data = Record<string, unknown>;

/** Data of a stream that the AI SDK does not pass on. */
export interface StreamNotes {
  /** The provider's finish reason; null until it was sent. */
  finishReason: string | null;
  /** The tokens that were written to the provider's cache with a lifetime of an hour. */
  writtenForHour: number;
  /** The message field that has the reasoning; null for the AI SDK's own, `reasoning_content`. */
  reasoningField: ReasoningField | null;
  /** Signatures and encrypted parts that OpenRouter sends with the reasoning and expects back unchanged. */
  reasoningDetails: Data[];
}

/**
 * The places for reasoning in Chat Completions besides `reasoning_content`: a field of that name, or a
 * `thinking` part of the content.
 */
export type ReasoningField = "reasoning" | "thinking";

/** The events for the AI SDK that replace an event (none to ignore it), or a reported failure. */
export type Reading = { events: readonly Data[] } | { failure: unknown };

/** Reads the events of one stream, in order. */
export type EventReader = (data: Data) => Reading;

/** Creates the reader of a new stream, which records what it finds in `notes`. */
export type EventRules = (notes: StreamNotes) => EventReader;

export const IGNORED: Reading = { events: [] };

export function isObject(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the named fields of `from` whose values have the type. */
export function picked(from: unknown, names: readonly string[], type: "string" | "number"): Data {
  const is = (value: unknown) => (type === "string" ? typeof value === "string" : typeof value === "number");
  if (!isObject(from)) return {};
  return Object.fromEntries(names.flatMap((name) => (is(from[name]) ? [[name, from[name]]] : [])));
}
