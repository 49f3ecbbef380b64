import type { Sandbox } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import type { Collected } from "./output-store.ts";
import { type OutputLimits, outputName } from "./plan-outputs.ts";

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

/** What was collected before, by the path decoded as `latin1`. */
export type Known = ReadonlyMap<string, Collected>;

/** What became of an output. */
export interface Outcome {
  state: "stored" | "unreadable" | "cut";
  fault?: string;
}

export function stored({ path }: ListedFile): Outcome {
  const { name, changed } = outputName(path);
  return {
    state: "stored",
    ...(changed ? { fault: `'${name}' has a name that could not be kept as it is` } : {}),
  };
}

export function unreadable({ path }: ListedFile): Outcome {
  return { state: "unreadable", fault: `'${outputName(path).name}' could not be read` };
}

/** How an output is recorded that was read now. Of one that was changed so recently, another change could go unnoticed. */
export function collectedNow({ stamp, recent }: ListedFile, sha256: string): Collected {
  return { sha256, stamp: recent ? null : stamp };
}
