import type { MountedFile } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { MountedContent } from "./sandbox-spec.ts";

/** Does the work with the contents as files of this host, which exist until it ends. */
export async function withLocalFiles<T>(
  blobs: BlobStore,
  contents: readonly MountedContent[],
  work: (files: MountedFile[]) => Promise<T>,
): Promise<T> {
  const taken = await Promise.allSettled(
    contents.map(async ({ sha256, target }) => ({ target, ...(await blobs.local(sha256)) })),
  );
  try {
    const files = taken.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return { source: one.value.path, target: one.value.target };
    });
    return await work(files);
  } finally {
    await Promise.all(taken.map((one) => (one.status === "fulfilled" ? one.value.release() : undefined)));
  }
}
