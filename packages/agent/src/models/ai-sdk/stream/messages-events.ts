import { type Data, type EventReader, IGNORED, isObject, picked, type StreamNotes } from "./event-rules.ts";

/**
 * Converts the events of a Messages stream that this product supports, with the fields that the AI SDK
 * requires. The API may add types of events, blocks and deltas at any time; unknown types are ignored. The AI
 * SDK drops content in the start of a block, so that becomes a delta.
 */
export function messagesEvents(notes: StreamNotes): EventReader {
  const blocks = new Map<unknown, Block>();
  return (data) => {
    switch (data.type) {
      case "message_start":
        return { events: [messageStart(data, notes)] };
      case "content_block_start": {
        const block = openBlock(data);
        if (block === null) return IGNORED;
        blocks.set(data.index, block);
        return { events: [block.start, ...block.early] };
      }
      case "content_block_delta":
        return { events: blocks.get(data.index)?.delta(data) ?? [] };
      case "content_block_stop": {
        const block = blocks.get(data.index);
        blocks.delete(data.index);
        return { events: block === undefined ? [] : [...block.late(), data] };
      }
      case "message_delta":
        return { events: [messageDelta(data, notes)] };
      case "message_stop":
      case "ping":
        return { events: [{ type: data.type }] };
      default:
        return isFailure(data) ? { failure: data } : IGNORED;
    }
  };
}

function isFailure(data: Data): boolean {
  return (
    data.type === "error" ||
    (data.type === undefined && (data.error ?? data.detail ?? data.message) !== undefined)
  );
}

const USAGE = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

function messageStart({ message }: Data, notes: StreamNotes): Data {
  const { usage } = isObject(message) ? message : {};
  noteLifetime(usage, notes);
  return {
    type: "message_start",
    message: {
      ...picked(message, ["id", "model", "role"], "string"),
      content: [],
      usage: { input_tokens: 0, ...picked(usage, USAGE, "number") },
    },
  };
}

function messageDelta({ delta, usage }: Data, notes: StreamNotes): Data {
  const told = picked(delta, ["stop_reason", "stop_sequence"], "string");
  if (typeof told.stop_reason === "string") notes.finishReason = told.stop_reason;
  noteLifetime(usage, notes);
  return {
    type: "message_delta",
    delta: told,
    usage: { output_tokens: 0, ...picked(usage, USAGE, "number") },
  };
}

/** Records how many of `cache_creation_input_tokens` have a lifetime of an hour. */
function noteLifetime(usage: unknown, notes: StreamNotes): void {
  const parts = isObject(usage) && isObject(usage.cache_creation) ? usage.cache_creation : {};
  if (typeof parts.ephemeral_1h_input_tokens === "number")
    notes.writtenForHour = parts.ephemeral_1h_input_tokens;
}

interface Block {
  start: Data;
  /** Deltas for the content of the block's start. */
  early: Data[];
  delta(data: Data): Data[];
  /** Returns deltas to send before the block's end. */
  late(): Data[];
}

function openBlock({ index, content_block: given }: Data): Block | null {
  if (!isObject(given)) return null;
  const opened = (content_block: Data) => ({ type: "content_block_start", index, content_block });
  const delta = (type: string, field: string, value: unknown) =>
    typeof value === "string" && value !== ""
      ? [{ type: "content_block_delta", index, delta: { type, [field]: value } }]
      : [];
  const passed = (...fields: (readonly [type: string, field: string])[]) => ({
    early: fields.flatMap(([type, field]) => delta(type, field, given[field])),
    delta: (data: Data) => fields.flatMap(([type, field]) => delta(type, field, ofType(data, type, field))),
    late: () => [],
  });
  switch (given.type) {
    case "text":
      return { start: opened({ type: "text", text: "" }), ...passed(["text_delta", "text"]) };
    case "thinking":
      return {
        start: opened({ type: "thinking", thinking: "" }),
        ...passed(["thinking_delta", "thinking"], ["signature_delta", "signature"]),
      };
    case "redacted_thinking":
      return { start: opened({ type: "redacted_thinking", data: given.data }), ...passed() };
    case "tool_use": {
      const { input = {}, id, name } = given;
      const whole = isObject(input) && Object.keys(input).length === 0 ? "" : textOf(input);
      let streamed = false;
      return {
        start: opened({ type: "tool_use", id, name, input: {} }),
        early: [],
        delta(data) {
          const events = delta(
            "input_json_delta",
            "partial_json",
            ofType(data, "input_json_delta", "partial_json"),
          );
          streamed ||= events.length > 0;
          return events;
        },
        // Input that came with the start counts unless deltas repeated it.
        late: () => (streamed ? [] : delta("input_json_delta", "partial_json", whole)),
      };
    }
    default:
      return null;
  }
}

function textOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function ofType({ delta }: Data, type: string, field: string): unknown {
  return isObject(delta) && delta.type === type ? delta[field] : undefined;
}
