import { isUtf8 } from "node:buffer";
import { MAX_MEMORY_BYTES, memoryPath } from "@berth/contract";
import { contentHash } from "@berth/store/memories";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import type { Listing } from "./list-files.ts";

/** A file as it was when it last equalled its memory. */
export interface BaseFile {
  content_sha256: string;
  /** The stamp of the listing; null when unknown. */
  stamp: string | null;
}

type Mask = (text: string) => string;

/** The common base of both sides, by path: the files that equalled their memories. */
export type Base = Map<string, BaseFile>;

/** The stamps of files that cannot be memories, by path, so that each is reported once. */
export type RejectedFiles = Map<string, string>;

/** A change made in the sandbox since the base. */
export type Change =
  | { path: string; content: string; content_sha256: string; stamp: string | null }
  | { path: string; content: null };

export interface ReadingPlan {
  /** Files that may differ from the base. */
  read: { path: string; stamp: string; recent: boolean }[];
  /** Paths of the base that no longer exist. */
  gone: string[];
  /** Why files cannot be memories, a sentence each, for the model. */
  faults: string[];
}

/** Compares a listing with the base, without the files' contents. Updates `rejected`. */
export function planReading(
  root: string,
  listing: Listing,
  base: Base,
  rejected: RejectedFiles,
  mask: Mask,
): ReadingPlan {
  const plan: ReadingPlan = { read: [], gone: [], faults: [] };
  const present = new Set<string>();
  for (const entry of listing.entries) {
    if (isTemporary(entry.path)) continue;
    const path = entry.path.toString("utf8");
    present.add(path);
    if (base.get(path)?.stamp === entry.stamp || rejected.get(path) === entry.stamp) continue;
    const fault = faultOf(path, entry, mask);
    if (fault === null) plan.read.push({ path, stamp: entry.stamp, recent: entry.recent });
    else reject(plan.faults, rejected, root, path, entry.stamp, fault);
  }
  for (const path of rejected.keys()) if (!present.has(path)) rejected.delete(path);
  if (listing.complete) plan.gone = [...base.keys()].filter((path) => !present.has(path));
  else
    plan.faults.push(`Not all of ${root} could be listed: files that were removed there are still memories.`);
  return plan;
}

export interface DetectedChanges {
  changes: Change[];
  /** Files that equal the base, with another stamp. */
  restamped: { path: string; content_sha256: string; stamp: string | null }[];
  /** Files that contained a secret: each must become equal to its memory, which does not. */
  masked: string[];
  faults: string[];
}

/** Compares the contents of files with the base. Their paths have passed `planReading`. */
export function detectChanges(
  root: string,
  plan: ReadingPlan,
  contents: ReadonlyMap<string, Buffer | null>,
  base: Base,
  rejected: RejectedFiles,
  mask: Mask,
): DetectedChanges {
  const detected: DetectedChanges = { changes: [], restamped: [], masked: [], faults: [...plan.faults] };
  for (const path of plan.gone) detected.changes.push({ path, content: null });
  for (const { path, stamp, recent } of plan.read) {
    const bytes = contents.get(path) ?? null;
    const fault = contentFault(bytes);
    if (bytes === null || fault !== null) {
      reject(detected.faults, rejected, root, path, stamp, fault ?? "cannot be read");
      continue;
    }
    const known = { path, content_sha256: contentHash(bytes), stamp: recent ? null : stamp };
    if (base.get(path)?.content_sha256 === known.content_sha256) detected.restamped.push(known);
    else addChange(detected, root, known, bytes.toString("utf8"), mask);
  }
  return detected;
}

/** Adds a change with secrets masked: sessions that do not know this one's secrets read the memory. */
function addChange(
  detected: DetectedChanges,
  root: string,
  known: DetectedChanges["restamped"][number],
  written: string,
  mask: Mask,
): void {
  const content = mask(written);
  const content_sha256 = content === written ? known.content_sha256 : contentHash(Buffer.from(content));
  detected.changes.push({ ...known, content, content_sha256 });
  if (content === written) return;
  detected.masked.push(known.path);
  detected.faults.push(
    `${root}${printable(known.path)} had a secret of this session in it: the memory has [redacted] in its place.`,
  );
}

function reject(
  faults: string[],
  rejected: RejectedFiles,
  root: string,
  path: string,
  stamp: string,
  fault: string,
): void {
  rejected.set(path, stamp);
  faults.push(`${root}${printable(path)} is not kept as a memory: it ${fault}.`);
}

function faultOf(path: string, { path: bytes, size }: ListedFile, mask: Mask): string | null {
  if (!isUtf8(bytes) || !memoryPath.safeParse(path).success) return "has a name that no memory can have";
  if (mask(path) !== path) return "has a secret of this session in its name";
  return size > MAX_MEMORY_BYTES ? `has more than ${MAX_MEMORY_BYTES} bytes` : null;
}

function contentFault(bytes: Buffer | null): string | null {
  if (bytes === null) return "cannot be read";
  if (bytes.length > MAX_MEMORY_BYTES) return `has more than ${MAX_MEMORY_BYTES} bytes`;
  return isUtf8(bytes) && !bytes.includes(0) ? null : "is not UTF-8 text";
}

/** Returns whether a tool or the service writes this file to rename it afterwards. */
function isTemporary(path: Buffer): boolean {
  return /\/\.(write-[0-9a-f-]{36}|memory-\d+\.writing)$/.test(path.toString("latin1"));
}

/** Returns a path on one line. Names are hostile: characters that would break it become `?`. */
export function printable(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/gu, "?").slice(0, 300);
}
