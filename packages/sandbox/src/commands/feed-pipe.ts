import type { Writable } from "node:stream";

/** Writes to a pipe that a process of the sandbox may or may not read. */
export interface PipeWriter {
  /**
   * Resolves when the pipe has accepted the bytes, or when nobody will ever read them; then `closed` is true.
   */
  write(bytes: Uint8Array | string): Promise<void>;
  readonly closed: boolean;
}

/** Writes the content of a pipe. */
export type Feed = (writer: PipeWriter) => Promise<void>;

/**
 * Runs `feed`, and closes the pipe when it is done and a reader has opened the pipe (`begun`). The caller
 * destroys the pipe when the reader has ended; the remaining bytes are then dropped.
 */
export async function feedPipe(pipe: Writable, begun: Promise<void>, feed: Feed): Promise<void> {
  pipe.on("error", () => {});
  const gone = new Promise<void>((resolve) => pipe.once("close", () => resolve()));
  const writer: PipeWriter = {
    write: (bytes) =>
      pipe.destroyed
        ? Promise.resolve()
        : Promise.race([gone, new Promise<void>((resolve) => pipe.write(bytes, () => resolve()))]),
    get closed() {
      return pipe.destroyed;
    },
  };
  await Promise.race([gone, feed(writer)]).catch(() => {});
  await Promise.race([gone, begun]);
  pipe.destroy();
}

/** Returns a feed that writes a stream. */
export function feedStream(stream: AsyncIterable<Uint8Array>): Feed {
  return async (writer) => {
    for await (const chunk of stream) {
      if (writer.closed) return;
      await writer.write(chunk);
    }
  };
}

/** Returns a feed that writes these bytes. */
export function feedBytes(bytes: Uint8Array | string): Feed {
  return (writer) => writer.write(bytes);
}
