import { createHash } from "node:crypto";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

/** Thrown when the archive is larger than the limit. */
export class SaveTooLargeError extends Error {
  override readonly name = "SaveTooLargeError";
}

/** Thrown when an archive is not what was stored. */
export class DamagedSaveError extends Error {
  override readonly name = "DamagedSaveError";
}

/** Thrown when the blob store cannot read a content now. */
export class SaveUnreadableError extends Error {
  override readonly name = "SaveUnreadableError";
}

/** The largest ratio of an archive to its compressed form: a sandbox could make up an endless archive. */
const MAX_RATIO = 64;
const LEVEL = 3;

/**
 * Compresses an archive with zstd, in the service. So the service later decompresses only its own data, and
 * sandboxes need no program for it.
 *
 * @throws SaveTooLargeError, and errors of the archive.
 */
export async function* compressed(archive: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  // Reading from `zstd` throws the failure of either.
  const fed = pipeline(archive, limited(maxBytes * MAX_RATIO), zstd).catch(() => undefined);
  let size = 0;
  try {
    for await (const chunk of zstd) {
      size += chunk.length;
      if (size > maxBytes) throw new SaveTooLargeError();
      yield chunk;
    }
  } finally {
    archive.destroy();
    await fed;
  }
}

function limited(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      size += chunk.length;
      if (size > maxBytes) done(new SaveTooLargeError());
      else done(null, chunk);
    },
  });
}

/** Decompresses an archive. @throws DamagedSaveError, and SaveUnreadableError for errors of the source. */
export async function* decompressed(
  source: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  async function* read() {
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw new SaveUnreadableError("file contents could not be read", { cause: error });
    }
  }
  const zstd = createZstdDecompress();
  const fed = pipeline(read, zstd).catch(() => undefined);
  try {
    yield* zstd;
  } catch (error) {
    if (error instanceof SaveUnreadableError) throw error;
    throw new DamagedSaveError("file contents cannot be decompressed", { cause: error });
  } finally {
    zstd.destroy();
    await fed;
  }
  if (hash.digest("hex") !== sha256) throw new DamagedSaveError("file contents do not match their hash");
}
