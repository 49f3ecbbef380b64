import type { Socket } from "node:net";

/** Writes into a pipe that somebody inside reads, or does not. */
export interface PipeWriter {
  /** Resolves when the pipe took the bytes, or when nobody will ever read them: then `closed` is true. */
  write(bytes: Uint8Array | string): Promise<void>;
  readonly closed: boolean;
}

export type Feed = (writer: PipeWriter) => Promise<void>;

/**
 * Lets `feed` write and closes the pipe when it is done and a reader has opened it (`begun`).
 * The caller destroys the socket when the reader is gone; what is left is then dropped.
 */
export async function feedPipe(socket: Socket, begun: Promise<void>, feed: Feed): Promise<void> {
  socket.on("error", () => {});
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const writer: PipeWriter = {
    write: (bytes) =>
      socket.destroyed
        ? Promise.resolve()
        : Promise.race([gone, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))]),
    get closed() {
      return socket.destroyed;
    },
  };
  await Promise.race([gone, feed(writer)]).catch(() => {});
  await Promise.race([gone, begun]);
  socket.destroy();
}

/** Feeds a stream, as fast as it is read. */
export function feedStream(stream: AsyncIterable<Uint8Array>): Feed {
  return async (writer) => {
    for await (const chunk of stream) {
      if (writer.closed) return;
      await writer.write(chunk);
    }
  };
}

/** Feeds these bytes in pieces that keep the event loop free. */
export function feedBytes(bytes: Uint8Array | string): Feed {
  return (writer) => writer.write(bytes);
}
