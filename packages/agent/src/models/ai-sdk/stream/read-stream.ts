import type { Transformer } from "node:stream/web";
import { createParser } from "eventsource-parser";
import { type EventReader, isObject } from "./event-rules.ts";

export interface StreamOptions {
  read: EventReader;
  /** Called with a failure that the server reports, or with the whole body when it is not an event stream. */
  onFailure(failure: { body: unknown; isWhole: boolean }): void;
  /** Returns at the end what the response lacks; null when it is complete. */
  lacks(seen: { done: boolean }): string | null;
  /** Called for each piece that arrives. */
  onData(): void;
}

/** Maximum characters that are read of a body that is not an event stream, which is an error message. */
const MAX_WHOLE_CHARACTERS = 64 * 1024;

/**
 * Reads a stream of server-sent events and rewrites it with the events of the reader. Fails when the server
 * reports a failure in it, when it is not an event stream, and when it ends without what `lacks` requires.
 */
export function eventStream(options: StreamOptions): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  /** The body until its form is known, or all of it when it is not a stream. */
  let held = "";
  let form: "stream" | "text" | null = null;
  let done = false;
  let failed = false;
  let output: string[] = [];

  const fail = (body: unknown, isWhole: boolean) => {
    if (failed) return;
    failed = true;
    options.onFailure({ body, isWhole });
  };
  const parser = createParser({
    onEvent({ data }) {
      if (failed || data === "") return;
      if (data === "[DONE]") done = true;
      const json = parsed(data);
      if (!isObject(json)) return void output.push(data);
      const reading = options.read(json);
      if ("failure" in reading) return fail(reading.failure, false);
      for (const event of reading.events) output.push(JSON.stringify(event));
    },
    // Older llama.cpp names the field `error` instead of `data`.
    onError({ field, value }) {
      if (field === "error") fail(parsed(value ?? "") ?? value, false);
    },
  });

  const feed = (text: string) => {
    if (form === "stream") return parser.feed(text);
    if (held.length < MAX_WHOLE_CHARACTERS) held += text;
    form ??= formOf(held);
    if (form === "stream") parser.feed(held);
  };

  return {
    transform(bytes, controller) {
      options.onData();
      feed(decoder.decode(bytes, { stream: true }));
      const written = output.map((data) => `data: ${data}\n\n`).join("");
      output = [];
      if (written !== "") controller.enqueue(encoder.encode(written));
      if (failed) controller.error(new Error("The server reported a failure in its stream."));
    },
    flush(controller) {
      if (form === "text") fail(held, true);
      const lacking = failed ? "a response" : options.lacks({ done });
      if (lacking !== null) controller.error(new Error(`The stream ended without ${lacking}.`));
    },
  };
}

/**
 * Determines whether a body is an event stream. JSON and HTML begin with a character that begins no line of a
 * stream; other texts do not begin with one of its fields. Returns null when the text is too short to decide.
 */
function formOf(text: string): "stream" | "text" | null {
  const start = text.trimStart().slice(0, 8);
  if (/^(data|event|id|retry|error)?:/.test(start)) return "stream";
  const mayBegin = ["data:", "event:", "id:", "retry:", "error:"].some((field) => field.startsWith(start));
  return mayBegin ? null : "text";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
