import { Readable } from "node:stream";
import { BlobsUnavailableError } from "../interface/blobs-unavailable.ts";
import type { S3Objects } from "./s3-objects.ts";

/** Maximum number of consecutive breaks of a connection without a byte in between. */
const MAX_BREAKS = 4;

/**
 * Streams an immutable object, or a range of its bytes. When the connection breaks, reading continues at the
 * same offset. Fails with the code ENOENT when there is no such object, and with `BlobsUnavailableError` when
 * the connection breaks repeatedly.
 */
export function readObject(
  objects: S3Objects,
  key: string,
  range?: { start: number; end: number },
): Readable {
  return Readable.from(bytesOf(objects, key, range), { objectMode: false });
}

async function* bytesOf(
  objects: S3Objects,
  key: string,
  range?: { start: number; end: number },
): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  for (let breaks = 0; range === undefined || at <= range.end; ) {
    const found = await objects.get(key, rest(at, range));
    if (found === null) throw absent(key);
    try {
      for await (const chunk of found.body as AsyncIterable<Buffer>) {
        yield chunk;
        at += chunk.length;
        breaks = 0;
      }
      return;
    } catch (error) {
      breaks += 1;
      if (breaks < MAX_BREAKS) continue;
      const { code = "cut" } = error as NodeJS.ErrnoException;
      throw new BlobsUnavailableError(`S3 sent only a part of the content (${code}).`);
    }
  }
}

function rest(
  at: number,
  range: { start: number; end: number } | undefined,
): { start: number; end: number | "" } | undefined {
  if (range !== undefined) return { start: at, end: range.end };
  return at === 0 ? undefined : { start: at, end: "" };
}

function absent(key: string): Error {
  return Object.assign(new Error(`The content ${key} does not exist.`), { code: "ENOENT" });
}
