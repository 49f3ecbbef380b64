import { lockContent, mimeTypeOf } from "@berth/store/files";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import {
  type CollectDeps,
  type Collecting,
  collectedNow,
  type Known,
  type Outcome,
  stored,
  unreadable,
} from "./collecting.ts";
import { storeOutput } from "./output-store.ts";
import { outputName } from "./plan-outputs.ts";
import { ReadInterrupted, readOutput, UnreadableOutput } from "./read-output.ts";

/** Bytes that suffice to detect the type of a content. */
export const HEAD_BYTES = 4_096;

/** Stores one output of any size, which is read as a stream. @throws as `collectOutputs` */
export async function collectOne(
  deps: CollectDeps,
  { lease, sandbox, signal }: Collecting,
  output: ListedFile,
  known: Known,
): Promise<Outcome> {
  try {
    const head = new Head();
    const content = await deps.blobs.stage(head.of(readOutput(sandbox, output, signal)));
    const now = collectedNow(output, content.sha256);
    try {
      if (known.get(output.path.toString("latin1"))?.sha256 === content.sha256) {
        await storeOutput(deps.db.write, lease, output.path, now, null);
        return { state: "stored" };
      }
      const filename = outputName(output.path).name;
      const file = { filename, mimeType: mimeTypeOf(filename, head.bytes), size: content.size };
      await deps.db.transaction(async (tx) => {
        await lockContent(tx, content.sha256);
        await content.keep();
        await storeOutput(tx, lease, output.path, now, file);
      });
    } finally {
      await content.discard();
    }
    return stored(output);
  } catch (error) {
    if (error instanceof ReadInterrupted) return { state: "cut" };
    if (error instanceof UnreadableOutput) return unreadable(output);
    throw error;
  }
}

/** Records the first bytes of a stream. */
class Head {
  bytes: Uint8Array = new Uint8Array();

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (this.bytes.length === 0) this.bytes = chunk.slice(0, HEAD_BYTES);
      yield chunk;
    }
  }
}
