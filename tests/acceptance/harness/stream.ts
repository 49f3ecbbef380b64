import assert from "node:assert/strict";
import type { AnyJson, Api } from "./api.ts";

export interface Frame {
  id: string;
  event: string;
  data: AnyJson;
}

export interface StreamOptions {
  query?: string;
  lastEventId?: string;
  /** Default: fails when no frame comes for a minute. */
  signal?: AbortSignal;
  /** The stream is open: what happens from now on is in it. */
  onOpen?: () => void;
}

/** How long a session may tell nothing while it is waited for. A slow machine is slow between events, too. */
const SILENCE_MS = 60_000;

/** The frames of a session's stream as they come; comments are passed over. Ends when the server ends it. */
export async function* readFrames(
  api: Api,
  session: string,
  options: StreamOptions = {},
): AsyncGenerator<Frame> {
  if (options.signal !== undefined) {
    yield* received(api, session, options, options.signal);
    return;
  }
  const silence = new AbortController();
  const giveUp = setTimeout(() => silence.abort(new Error("Nothing came for a minute.")), SILENCE_MS);
  try {
    for await (const frame of received(api, session, options, silence.signal)) {
      giveUp.refresh();
      yield frame;
    }
  } finally {
    clearTimeout(giveUp);
  }
}

async function* received(
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
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const frame = parse(block);
      if (frame !== null) yield frame;
    }
  }
}

/** Every event of the log from its start until one fits; fails when none comes for a minute. */
export async function readEventsUntil(
  api: Api,
  session: string,
  fits: (event: AnyJson) => boolean,
): Promise<AnyJson[]> {
  const events: AnyJson[] = [];
  try {
    for await (const { data } of readFrames(api, session, { query: "from=start" })) {
      events.push(data);
      if (fits(data)) return events;
    }
  } catch (cause) {
    throw new Error(`${session} stopped after: ${events.map(({ type }) => type).join(" ")}`, { cause });
  }
  throw new Error(`the stream of ${session} ended after: ${events.map(({ type }) => type).join(" ")}`);
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
