import type { Sandbox } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import type { Collected } from "./output-store.ts";
import { type OutputLimits, outputName } from "./plan-outputs.ts";

export interface CollectDeps {
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

/** Outputs that were collected before, by the path decoded as `latin1`. */
export type Known = ReadonlyMap<string, Collected>;

/** The result of collecting an output. */
export interface Outcome {
  state: "stored" | "unreadable" | "cut";
  fault?: string;
}

/** Returns the outcome of a stored output, with a fault if its name was changed. */
export function stored({ path }: ListedFile): Outcome {
  const { name, changed } = outputName(path);
  return {
    state: "stored",
    ...(changed ? { fault: `'${name}' is saved under this name, because its own cannot be used` } : {}),
  };
}

/** Returns the outcome of an output that could not be read. */
export function unreadable({ path }: ListedFile): Outcome {
  return { state: "unreadable", fault: `'${outputName(path).name}' could not be read` };
}

/**
 * Returns the record of an output that was just read. It has no stamp if the file was changed recently, since
 * another change might keep the stamp.
 */
export function collectedNow({ stamp, recent }: ListedFile, sha256: string): Collected {
  return { sha256, stamp: recent ? null : stamp };
}
