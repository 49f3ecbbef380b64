import type { BlobStore } from "./interface/blob-store.ts";

/**
 * Copies a content from one store to another. Returns its size in bytes, or null when it is missing or its
 * bytes do not match the hash.
 */
export async function copyContent(from: BlobStore, to: BlobStore, sha256: string): Promise<number | null> {
  try {
    const staged = await to.stage(from.read(sha256));
    const isWhole = staged.sha256 === sha256;
    await (isWhole ? staged.keep() : staged.discard());
    return isWhole ? staged.size : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
