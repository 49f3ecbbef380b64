import type { Client } from "./client.ts";

/** Milliseconds to wait before parsing again a head that has grown by less than an eighth. */
const PAUSE_MS = 5;

/** Maximum size of a head, and time to receive it. */
export interface HeadLimits {
  bytes: number;
  milliseconds: number;
}

/**
 * Reads from a client until `parse` returns a `kind` other than `more`, then puts the bytes back, so that the
 * next reader gets them from the start. Returns null when the client closed, was too slow or sent too much.
 * The head is not parsed again for every byte of a client that sends single bytes.
 */
export async function readHead<Head extends { kind: string }>(
  socket: Client,
  parse: (bytes: Buffer) => Head,
  limits: HeadLimits,
): Promise<Head | null> {
  const { promise, resolve } = Promise.withResolvers<Head | null>();
  const chunks: Buffer[] = [];
  let [length, parsed] = [0, 0];
  let pause: NodeJS.Timeout | undefined;
  const look = (): void => {
    clearTimeout(pause);
    pause = undefined;
    parsed = length;
    const bytes = Buffer.concat(chunks.splice(0));
    chunks.push(bytes);
    const head = parse(bytes);
    if (head.kind !== "more") resolve(head);
    else if (length >= limits.bytes) resolve(null);
  };
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    chunks.push(chunk);
    length += chunk.length;
    if (length >= parsed + parsed / 8 || length >= limits.bytes) look();
    else pause ??= setTimeout(look, PAUSE_MS);
  };
  const onClosed = (): void => {
    if (pause !== undefined) look();
    resolve(null);
  };
  const timer = setTimeout(onClosed, limits.milliseconds);
  socket.on("readable", onReadable).once("end", onClosed).once("close", onClosed);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearTimeout(pause);
    socket.off("readable", onReadable).off("end", onClosed).off("close", onClosed);
    if (length > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(Buffer.concat(chunks));
  }
}
