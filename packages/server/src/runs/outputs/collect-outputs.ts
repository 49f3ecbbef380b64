import type { Sandbox } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { lockContent } from "../../features/files/content-store.ts";
import { mimeTypeOf } from "../../features/files/mime-type.ts";
import type { Lease } from "../lease/lease.ts";
import { listOutputs, type Output } from "./list-outputs.ts";
import { outputName } from "./output-name.ts";
import { type Collected, readCollected, storeOutput } from "./output-store.ts";
import { type OutputLimits, planOutputs } from "./plan-outputs.ts";
import { ReadingCut, readOutput, UnreadableOutput } from "./read-output.ts";

export interface CollectParts {
  db: DatabaseAccess;
  blobs: BlobStore;
}

export interface Collecting {
  lease: Lease;
  sandbox: Sandbox;
  limits: OutputLimits;
  /** Ends the reading. */
  signal: AbortSignal;
}

export interface Collection {
  /** `whole`: nothing is left that another try could collect. `cut`: the sandbox ended, or the time. */
  state: "whole" | "partial" | "cut";
  /** What was left out or changed on its way, a sentence each. */
  faults: string[];
}

const READ_AT_ONCE = 4;
const BEGINNING_BYTES = 4_096;

/**
 * Stores each regular file below the outputs as a File of the session, unless it is as it was collected before. Cut off
 * anywhere, it can be repeated: what is stored is noted in the same statement.
 *
 * @throws LeaseLost, and what the database or the disk of the contents throws.
 */
export async function collectOutputs(parts: CollectParts, collecting: Collecting): Promise<Collection> {
  const { sandbox, limits, lease, signal } = collecting;
  const listing = await listOutputs(sandbox, limits.files, signal);
  if (listing === null) return { state: "cut", faults: [] };
  const known = await readCollected(parts.db.write, lease.sessionId);
  const plan = planOutputs(listing, known, limits);
  for (const { path, stamp } of plan.refused) {
    await storeOutput(parts.db.write, lease, path, { sha256: null, stamp }, null);
  }
  const stored = await eachOf(plan.taken, (output) =>
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
  output: Output,
  before: Collected | undefined,
): Promise<Stored> {
  const { name, changed } = outputName(output.path);
  try {
    const beginning = new Beginning();
    const content = await parts.blobs.stage(beginning.of(readOutput(sandbox, output, signal)));
    const now = { sha256: content.sha256, stamp: output.recent ? null : output.stamp };
    try {
      if (before?.sha256 === content.sha256) {
        await storeOutput(parts.db.write, lease, output.path, now, null);
        return { state: "stored" };
      }
      const file = { filename: name, mimeType: mimeTypeOf(name, beginning.bytes), size: content.size };
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
    if (error instanceof ReadingCut) return { state: "cut" };
    if (error instanceof UnreadableOutput)
      return { state: "unreadable", fault: `'${name}' could not be read` };
    throw error;
  }
}

/** Keeps the first bytes of what passes. */
class Beginning {
  bytes: Uint8Array = new Uint8Array();

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (this.bytes.length === 0) this.bytes = chunk.slice(0, BEGINNING_BYTES);
      yield chunk;
    }
  }
}

/** A few at once; after a failure no other is begun, and those under way have ended when this rejects. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const workers = Array.from({ length: READ_AT_ONCE }, async () => {
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
