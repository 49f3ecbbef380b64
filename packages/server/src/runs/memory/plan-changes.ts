import { isUtf8 } from "node:buffer";
import { MAX_MEMORY_BYTES, memoryPath } from "@berth/contract";
import { contentHash } from "../../features/memories/memory-row-store.ts";
import type { Listing, MountedEntry } from "./list-files.ts";

/** A file as it was when it was last the same as its memory. */
export interface BaseFile {
  content_sha256: string;
  /** Null when it is not known how it looked in the listing. */
  stamp: string | null;
}

/** By path. */
export type Base = Map<string, BaseFile>;

/** Files that cannot be memories, by path, with the stamp that they were looked at with, so that each is told once. */
export type Refused = Map<string, string>;

/** A change that the container made since the base. */
export type Change =
  | { path: string; content: string; content_sha256: string; stamp: string | null }
  | { path: string; content: null };

export interface Plan {
  /** To be read: they may differ from the base. */
  read: { path: string; stamp: string; recent: boolean }[];
  /** Paths of the base that are not there any more. */
  gone: string[];
  /** Why files cannot be memories, a sentence each. */
  faults: string[];
}

/** What a listing tells, without a look into the files. `refused` is brought up to date. */
export function planReading(root: string, listing: Listing, base: Base, refused: Refused): Plan {
  const plan: Plan = { read: [], gone: [], faults: [] };
  const present = new Set<string>();
  for (const entry of listing.entries) {
    if (isTemporary(entry.path)) continue;
    const path = entry.path.toString("utf8");
    present.add(path);
    if (base.get(path)?.stamp === entry.stamp || refused.get(path) === entry.stamp) continue;
    const fault = faultOf(path, entry);
    if (fault === null) plan.read.push({ path, stamp: entry.stamp, recent: entry.recent });
    else refuse(plan.faults, refused, root, path, entry.stamp, fault);
  }
  for (const path of refused.keys()) if (!present.has(path)) refused.delete(path);
  if (listing.complete) plan.gone = [...base.keys()].filter((path) => !present.has(path));
  else
    plan.faults.push(`Not all of ${root} could be listed: files that were removed there are still memories.`);
  return plan;
}

export interface Looked {
  changes: Change[];
  /** The same as the base, with another stamp. */
  restamped: { path: string; content_sha256: string; stamp: string | null }[];
  faults: string[];
}

/** What the bytes of the files tell. Their paths have passed `planReading`. */
export function planChanges(
  root: string,
  plan: Plan,
  contents: ReadonlyMap<string, Buffer | null>,
  base: Base,
  refused: Refused,
): Looked {
  const looked: Looked = { changes: [], restamped: [], faults: [...plan.faults] };
  for (const path of plan.gone) looked.changes.push({ path, content: null });
  for (const { path, stamp, recent } of plan.read) {
    const bytes = contents.get(path) ?? null;
    const fault = contentFault(bytes);
    if (bytes === null || fault !== null) {
      refuse(looked.faults, refused, root, path, stamp, fault ?? "cannot be read");
      continue;
    }
    const known = { path, content_sha256: contentHash(bytes), stamp: recent ? null : stamp };
    if (base.get(path)?.content_sha256 === known.content_sha256) looked.restamped.push(known);
    else looked.changes.push({ ...known, content: bytes.toString("utf8") });
  }
  return looked;
}

function refuse(
  faults: string[],
  refused: Refused,
  root: string,
  path: string,
  stamp: string,
  fault: string,
): void {
  refused.set(path, stamp);
  faults.push(`${root}${printable(path)} is not kept as a memory: it ${fault}.`);
}

function faultOf(path: string, { path: bytes, size }: MountedEntry): string | null {
  if (!isUtf8(bytes) || !memoryPath.safeParse(path).success) return "has a name that no memory can have";
  return size > MAX_MEMORY_BYTES ? `has more than ${MAX_MEMORY_BYTES} bytes` : null;
}

function contentFault(bytes: Buffer | null): string | null {
  if (bytes === null) return "cannot be read";
  if (bytes.length > MAX_MEMORY_BYTES) return `has more than ${MAX_MEMORY_BYTES} bytes`;
  return isUtf8(bytes) && !bytes.includes(0) ? null : "is not UTF-8 text";
}

/** Files that tools and the service write on their way to the real one. */
function isTemporary(path: Buffer): boolean {
  return /\/\.(write-[0-9a-f-]{36}|memory-\d+\.writing)$/.test(path.toString("latin1"));
}

/** Names come from the container: what would break a line is shown as a question mark. */
export function printable(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/gu, "?").slice(0, 300);
}
