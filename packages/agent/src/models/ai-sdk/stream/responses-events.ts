import { type Data, type EventReader, isObject, type Reading, type StreamNotes } from "./event-rules.ts";

/**
 * Filters the events of a Responses stream. The AI SDK ignores unknown types, but fails on an unknown form of
 * a type that it knows. So types that this product does not use are dropped. A message whose text came
 * without deltas gets one at its end.
 */
export function responsesEvents(notes: StreamNotes): EventReader {
  const streamed = new Set<unknown>();
  return (data) => {
    switch (data.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        streamed.add(data.item_id);
        return { events: [data] };
      case "response.output_item.added":
        return { events: isKnownItem(data.item) ? [data] : [] };
      case "response.output_item.done":
        return { events: isKnownItem(data.item) ? [...lateText(data, streamed), data] : [] };
      case "response.completed":
      case "response.incomplete":
        notes.finishReason = reasonOf(data);
        return { events: [data] };
      case "response.failed":
        return { failure: isObject(data.response) ? (data.response.error ?? data.response) : data };
      default:
        return rest(data);
    }
  };
}

const ITEMS = new Set<unknown>(["message", "reasoning", "function_call"]);

function isKnownItem(item: unknown): boolean {
  return isObject(item) && ITEMS.has(item.type);
}

function reasonOf({ type, response }: Data): string {
  const { status, incomplete_details: details } = isObject(response) ? response : {};
  const reason = isObject(details) ? details.reason : undefined;
  if (typeof reason === "string") return reason;
  if (type === "response.incomplete") return "incomplete";
  return typeof status === "string" ? status : "completed";
}

function lateText({ item, output_index }: Data, streamed: ReadonlySet<unknown>): Data[] {
  if (!isObject(item) || item.type !== "message" || streamed.has(item.id)) return [];
  const parts = Array.isArray(item.content) ? item.content.filter(isObject) : [];
  return parts.flatMap(({ type, text }) =>
    type === "output_text" && typeof text === "string" && text !== ""
      ? [{ type: "response.output_text.delta", item_id: item.id, output_index, delta: text }]
      : [],
  );
}

/** Types of events whose content other events repeat. */
const UNUSED =
  /^response\.(output_text\.(annotation|done)|content_part|refusal\.done|[\w]*_call[._](?!arguments))/;

function rest(data: Data): Reading {
  const isFailure =
    data.type === "error" ||
    (data.type === undefined && (data.error ?? data.detail ?? data.message) !== undefined);
  if (isFailure) return { failure: data };
  return { events: typeof data.type === "string" && !UNUSED.test(data.type) ? [data] : [] };
}
