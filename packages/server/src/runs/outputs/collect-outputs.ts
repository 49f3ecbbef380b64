import type { Sandbox } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/interface/blob-store.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { lockContent } from "../../features/files/content-store.ts";
import { mimeTypeOf } from "../../features/files/mime-type.ts";
import type { Lease } from "../lease/lease.ts";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import { listOutputs, OUTPUTS } from "./list-outputs.ts";
import { type Collected, readCollected, storeOutput } from "./output-store.ts";
import { type OutputLimits, outputName, planOutputs } from "./plan-outputs.ts";
import { ReadInterrupted, readOutput, UnreadableOutput } from "./read-output.ts";

export interface CollectParts {
  db: DatabaseAccess;
  blobs: BlobStore;
  mask(text: string): string;
}

export interface Collecting {
  lease: Lease;
  sandbox: Sandbox;
  limits: OutputLimits;
  /** Stops the reading. */
  signal: AbortSignal;
}

export interface Collection {
  /** `whole`: nothing is left that another try could collect. `cut`: the sandbox ended, or the time was over. */
  state: "whole" | "partial" | "cut";
  /** What was left out or changed, a clause each. */
  faults: string[];
}

const MAX_READS = 4;
/** Enough to detect the type of a content. */
const HEAD_BYTES = 4_096;

/**
 * Stores each regular file of the outputs as a file of the session, unless it is unchanged since it was collected. It
 * can be repeated after any interruption: a file and the record that it was collected are stored in one statement.
 *
 * @throws LeaseLost, and errors of the database and the blob store.
 */
export async function collectOutputs(parts: CollectParts, collecting: Collecting): Promise<Collection> {
  const { sandbox, limits, lease, signal } = collecting;
  if (await sandbox.isUntouched(OUTPUTS)) return { state: "whole", faults: [] };
  const listing = await listOutputs(sandbox, limits.files, signal);
  if (listing === null) return { state: "cut", faults: [] };
  const known = await readCollected(parts.db.write, lease.sessionId);
  const plan = planOutputs(listing, known, limits, parts.mask);
  for (const { path, stamp } of plan.rejected) {
    await storeOutput(parts.db.write, lease, path, { sha256: null, stamp }, null);
  }
  const stored = await forEachItem(plan.taken, (output) =>
    collectOne(parts, collecting, output, known.get(output.path.toString("latin1"))),
  );
  const faults = [...plan.faults, ...stored.flatMap(({ fault }) => fault ?? [])];
  if (stored.some(({ state }) => state === "cut")) return { state: "cut", faults };
  const left = plan.later || stored.some(({ state }) => state === "unreadable");
  return { state: left ? "partial" : "whole", faults };
}

interface Stored {
  state: "stored" | "unreadable" | "cut";
  fault?: string;
}

async function collectOne(
  parts: CollectParts,
  { lease, sandbox, signal }: Collecting,
  output: ListedFile,
  before: Collected | undefined,
): Promise<Stored> {
  const { name, changed } = outputName(output.path);
  try {
    const head = new Head();
    const content = await parts.blobs.stage(head.of(readOutput(sandbox, output, signal)));
    const now = { sha256: content.sha256, stamp: output.recent ? null : output.stamp };
    try {
      if (before?.sha256 === content.sha256) {
        await storeOutput(parts.db.write, lease, output.path, now, null);
        return { state: "stored" };
      }
      const file = { filename: name, mimeType: mimeTypeOf(name, head.bytes), size: content.size };
      await parts.db.transaction(async (tx) => {
        await lockContent(tx, content.sha256);
        await content.keep();
        await storeOutput(tx, lease, output.path, now, file);
      });
    } finally {
      await content.discard();
    }
    return {
      state: "stored",
      ...(changed ? { fault: `'${name}' has a name that could not be kept as it is` } : {}),
    };
  } catch (error) {
    if (error instanceof ReadInterrupted) return { state: "cut" };
    if (error instanceof UnreadableOutput)
      return { state: "unreadable", fault: `'${name}' could not be read` };
    throw error;
  }
}

/** Keeps the first bytes of a stream. */
class Head {
  bytes: Uint8Array = new Uint8Array();

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (this.bytes.length === 0) this.bytes = chunk.slice(0, HEAD_BYTES);
      yield chunk;
    }
  }
}

/** Runs a few at once. After a failure no other is started, and the running ones have ended when this rejects. */
async function forEachItem<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const workers = Array.from({ length: MAX_READS }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        results.push(await work(item));
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return results;
}
