import type { Client } from "./client.ts";

export interface HeadLimits {
  bytes: number;
  milliseconds: number;
}

/**
 * Reads from a client until `parse` returns a `kind` other than `more`, then puts the bytes back, so that the next reader gets
 * them from the start. Returns null when the client closed, was too slow or sent too much.
 */
export async function readHead<Head extends { kind: string }>(
  socket: Client,
  parse: (bytes: Buffer) => Head,
  limits: HeadLimits,
): Promise<Head | null> {
  const { promise, resolve } = Promise.withResolvers<Head | null>();
  let bytes = Buffer.alloc(0);
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const head = parse(bytes);
    if (head.kind !== "more") resolve(head);
    else if (bytes.length >= limits.bytes) resolve(null);
  };
  const onClosed = (): void => resolve(null);
  const timer = setTimeout(onClosed, limits.milliseconds);
  socket.on("readable", onReadable).once("end", onClosed).once("close", onClosed);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("end", onClosed).off("close", onClosed);
    if (bytes.length > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(bytes);
  }
}
