import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import type { Limits } from "../interface/spec.ts";
import { isGoing } from "./is-going.ts";
import { hasEndedPart, isDead } from "./pod-status.ts";
import { epochOf } from "./remove-held.ts";
import type { Sent } from "./send-files.ts";

/** Annotation: a digest of what a pod was made with. */
const MADE_WITH = "berth.made-with";
/** Annotation: a digest of the contents that were sent to it when it was made; empty: none, since it was made for the pool. */
const CONTENTS = "berth.contents";

/**
 * Notes in a pod what it is made with, so that a later lease knows whether it fits.
 *
 * @param body without its labels counts: they name who has it.
 * @param files digests of what is sent to it whoever's it is.
 * @param contents digest of what its session brings; empty: nobody's.
 */
export function noteMadeWith(body: V1Pod, limits: Limits, files: readonly string[], contents: string): V1Pod {
  const { metadata } = body;
  const notes = { [MADE_WITH]: madeWith(body, limits, files), [CONTENTS]: contents };
  return { ...body, metadata: { ...metadata, annotations: { ...metadata?.annotations, ...notes } } };
}

/** A digest of all that a pod is made with, and of what else decides. */
export function madeWith(
  { metadata, spec }: V1Pod,
  { memoryBytes, pids, cpus, diskBytes }: Limits,
  ...more: readonly unknown[]
): string {
  const { annotations = {}, name } = metadata ?? {};
  const limits = [memoryBytes, pids, cpus, diskBytes];
  return createHash("sha256")
    .update(JSON.stringify([name, annotations, spec, limits, ...more]))
    .digest("hex");
}

/** The digest of the contents that were sent to a pod when it was made; empty: none. */
export function contentsOf({ metadata }: V1Pod): string {
  return metadata?.annotations?.[CONTENTS] ?? "";
}

/**
 * Whether a pod can serve a sandbox that wants this one, unless it does not respond: the API server knows a second late that a pod runs. A
 * sandbox of no session takes none.
 */
export function fits(pod: V1Pod, wanted: V1Pod): boolean {
  const made = pod.metadata?.annotations?.[MADE_WITH];
  return (
    epochOf(wanted) > 0 &&
    made !== undefined &&
    made === wanted.metadata?.annotations?.[MADE_WITH] &&
    !isGoing(pod) &&
    !isDead(pod) &&
    !hasEndedPart(pod)
  );
}

/** A digest of the names, modes and contents of these entries. Modes of directories do not count: the pod has its own. */
export async function digestOf({ directory, names }: Sent): Promise<string> {
  const hash = createHash("sha256");
  for (const name of names) await add(hash, directory, name);
  return hash.digest("hex");
}

async function add(hash: Hash, directory: string, name: string): Promise<void> {
  const path = join(directory, name);
  const stats = await lstat(path);
  const note = (kind: string, more: string | number) => hash.update(JSON.stringify([name, kind, more]));
  if (stats.isSymbolicLink()) note("link", await readlink(path));
  else if (stats.isDirectory()) {
    const entries = (await readdir(path)).sort();
    note("directory", entries.length);
    for (const entry of entries) await add(hash, directory, join(name, entry));
  } else {
    note("file", `${stats.mode & 0o777} ${stats.size}`);
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  }
}
