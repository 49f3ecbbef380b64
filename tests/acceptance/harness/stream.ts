import assert from "node:assert/strict";
import type { AnyJson, Api } from "./api.ts";

/** An event of a `text/event-stream` response, with its parsed data. */
export interface Frame {
  id: string;
  event: string;
  data: AnyJson;
}

export interface StreamOptions {
  query?: string;
  lastEventId?: string;
  /** Ends the stream when aborted. By default it fails after three minutes without a frame. */
  signal?: AbortSignal;
  /** Called when the stream is open; it then contains every later event. */
  onOpen?: () => void;
}

/**
 * The longest time without an event. Long, since on a loaded machine a killed runner can take most of a
 * minute to return.
 */
const MAX_SILENCE_MS = 180_000;

/** Yields the frames of a session's stream, without comments. Ends when the server ends the stream. */
export async function* readFrames(
  api: Api,
  session: string,
  options: StreamOptions = {},
): AsyncGenerator<Frame> {
  if (options.signal !== undefined) {
    yield* openStream(api, session, options, options.signal);
    return;
  }
  const timeout = new AbortController();
  const giveUp = setTimeout(
    () => timeout.abort(new Error("no frame was received for three minutes")),
    MAX_SILENCE_MS,
  );
  try {
    for await (const frame of openStream(api, session, options, timeout.signal)) {
      giveUp.refresh();
      yield frame;
    }
  } finally {
    clearTimeout(giveUp);
  }
}

async function* openStream(
  api: Api,
  session: string,
  options: StreamOptions,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const query = options.query === undefined ? "" : `?${options.query}`;
  const response = await fetch(api.address(`/sessions/${session}/events/stream${query}`), {
    headers: {
      authorization: `Bearer ${api.token}`,
      ...(options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId }),
    },
    signal,
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  options.onOpen?.();
  for await (const block of eventBlocks(response)) {
    const frame = parse(block);
    if (frame !== null) yield frame;
  }
}

/** Yields the blocks of a `text/event-stream` response as they arrive: fields of one event, or comments. */
export async function* eventBlocks({ body }: Response): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    yield* blocks;
  }
}

/** Thrown when the server ends a stream, which a follower resumes. */
export class StreamEnded extends Error {}

/**
 * Returns the events of the log from its start to the first match. By default it fails after three minutes
 * without an event.
 */
export async function readEventsUntil(
  api: Api,
  session: string,
  matches: (event: AnyJson) => boolean | Promise<boolean>,
  { signal }: Pick<StreamOptions, "signal"> = {},
): Promise<AnyJson[]> {
  const events: AnyJson[] = [];
  try {
    for await (const { data } of readFrames(api, session, {
      query: "from=start",
      ...(signal && { signal }),
    })) {
      events.push(data);
      if (await matches(data)) return events;
    }
  } catch (cause) {
    throw new Error(`${session}: no match among: ${events.map(({ type }) => type).join(" ")}`, { cause });
  }
  throw new StreamEnded(
    `the stream of ${session} ended without a match among: ${events.map(({ type }) => type).join(" ")}`,
  );
}

function parse(block: string): Frame | null {
  const fields = new Map(
    block
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith(":"))
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
  );
  const data = fields.get("data");
  if (data === undefined) return null;
  return { id: fields.get("id") ?? "", event: fields.get("event") ?? "", data: JSON.parse(data) };
}
