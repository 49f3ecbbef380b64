import { createHash } from "node:crypto";
import { lockContents, mimeTypeOf } from "@berth/store/files";
import type { Lease } from "@berth/store/leases";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import { HEAD_BYTES } from "./collect-one.ts";
import { type CollectDeps, collectedNow, type Known, type Outcome, stored } from "./collecting.ts";
import { type CollectedOutput, storeOutputs } from "./output-store.ts";
import { outputName } from "./plan-outputs.ts";

/** An output with all its bytes. */
export interface ReadOutput {
  output: ListedFile;
  bytes: Buffer;
}

/** Stores outputs that were read, all or none of them, in one transaction. @throws as `collectOutputs` */
export async function storeRead(
  { db, blobs }: CollectDeps,
  lease: Lease,
  some: readonly ReadOutput[],
  known: Known,
): Promise<Outcome[]> {
  const contents = new Map<string, Buffer>();
  const records = some.map(({ output, bytes }): CollectedOutput => {
    const { path } = output;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const isKnown = known.get(path.toString("latin1"))?.sha256 === sha256;
    if (!isKnown) contents.set(sha256, bytes);
    return { path, ...collectedNow(output, sha256), file: isKnown ? null : fileOf(path, bytes) };
  });
  await db.transaction(async (tx) => {
    if (contents.size > 0) {
      await lockContents(tx, [...contents.keys()]);
      await blobs.storeAll(contents);
    }
    await storeOutputs(tx, lease, records);
  });
  return some.map(({ output }, index) =>
    records[index]?.file === null ? { state: "stored" } : stored(output),
  );
}

function fileOf(path: Buffer, bytes: Buffer): CollectedOutput["file"] {
  const filename = outputName(path).name;
  return { filename, mimeType: mimeTypeOf(filename, bytes.subarray(0, HEAD_BYTES)), size: bytes.length };
}
