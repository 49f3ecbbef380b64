import type { FinishReason } from "../../src/models/model.ts";
import { events } from "../models/raw-server.ts";
import { type Expected, type Play, streams } from "./cell.ts";

/** Returns a chunk of a Chat Completions stream. */
export function chunk(delta: object, finish_reason: string | null = null, more: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_770_764_938,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  };
}

/** Describes each finish reason and its meaning; null when the response was interrupted and is retried. */
export function finishes(words: Readonly<Record<string, FinishReason | null>>): Play[] {
  return Object.entries(words).map(([word, reason]) =>
    streams(events(chunk({ role: "assistant", content: "Yes." }), chunk({}, word), "[DONE]"), {
      ...(reason === null
        ? { error: { kind: "interrupted_stream", retryable: true, says: word } }
        : { reason, text: "Yes." }),
    }),
  );
}

/** Describes reasoning in this field of a delta, which is sent back in the same field. */
export function reasons(field: "reasoning" | "reasoning_content"): Play {
  const call = { index: 0, id: "call_1", type: "function", function: { name: "Look", arguments: "{}" } };
  const body = events(
    chunk({ role: "assistant", [field]: "Hm, " }),
    chunk({ [field]: "yes." }),
    chunk({ tool_calls: [call] }),
    chunk({}, "tool_calls"),
    "[DONE]",
  );
  return streams(body, { thinking: "Hm, yes.", sentBack: `"${field}":"Hm, yes."` });
}

/** Describes deltas with calls of the tool Look, and the resulting inputs. */
export function calls(
  deltas: readonly object[],
  inputs: readonly Record<string, unknown>[],
  finish = "tool_calls",
  more: Expected = {},
): Play {
  const body = events(...deltas.map((delta) => chunk(delta)), chunk({}, finish), "[DONE]");
  return streams(body, { calls: inputs, reason: "tool_calls", ...more });
}

/** A call as most servers stream it: the head, then the input in pieces. */
export const inPieces = calls(
  [
    {
      role: "assistant",
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "Look", arguments: "" } }],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] },
  ],
  [{ at: "x" }],
);

/** A whole call, as sent by servers that parse the model's text themselves. */
export const inOnePiece = calls(
  [
    {
      role: "assistant",
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "Look", arguments: '{"at":"x"}' } },
      ],
    },
  ],
  [{ at: "x" }],
);

/** Describes the end of a stream after the text, from the finish reason on. */
export function ends(...last: (object | string)[]): Play {
  const body = events(chunk({ role: "assistant", content: "Yes." }), ...last);
  return streams(body, { text: "Yes.", reason: "end_turn" });
}

export const COUNTS = { prompt_tokens: 25, completion_tokens: 8, total_tokens: 33 };
export const COUNTED = { input_tokens: 25, output_tokens: 8 };

/** Usage in a chunk of its own after the finish reason, as OpenAI sends it. */
export const ownChunk = streams(
  events(
    chunk({ content: "Yes." }),
    chunk({}, "stop"),
    { object: "chat.completion.chunk", choices: [], usage: COUNTS },
    "[DONE]",
  ),
  { usage: COUNTED },
);

/** Usage in the chunk with the finish reason. */
export const lastChunk = streams(
  events(chunk({ content: "Yes." }), chunk({}, "stop", { usage: COUNTS }), "[DONE]"),
  {
    usage: COUNTED,
  },
);
