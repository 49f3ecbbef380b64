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

/** Annotation: digest of the inputs from which a pod was made. */
const MADE_WITH = "berth.made-with";
/**
 * Annotation: digest of the contents that were sent to a pod when it was made; empty for a pod of the pool,
 * which got none.
 */
const CONTENTS = "berth.contents";

/**
 * Records in a pod the inputs from which it is made, so that a later lease knows whether it fits.
 *
 * @param body The pod. Its labels do not count, since they name its holder.
 * @param files Digests of the files that it receives regardless of the session.
 * @param contents Digest of what its session brings; empty when it has no session yet.
 */
export function noteMadeWith(body: V1Pod, limits: Limits, files: readonly string[], contents: string): V1Pod {
  const { metadata } = body;
  const notes = { [MADE_WITH]: madeWith(body, limits, files), [CONTENTS]: contents };
  return { ...body, metadata: { ...metadata, annotations: { ...metadata?.annotations, ...notes } } };
}

/** Returns a digest of the pod, its limits, and any further values that decide. */
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

/** Returns the digest of the contents that were sent to a pod when it was made; empty for none. */
export function contentsOf({ metadata }: V1Pod): string {
  return metadata?.annotations?.[CONTENTS] ?? "";
}

/**
 * Returns whether a pod can serve a sandbox that wants `wanted`. The pod may still not respond, because the
 * API server learns a second late whether it runs. A sandbox that belongs to no session takes no existing
 * pod.
 */
export function fits(pod: V1Pod, wanted: V1Pod): boolean {
  return (
    epochOf(wanted) > 0 &&
    pod.metadata?.annotations?.[MADE_WITH] === wanted.metadata?.annotations?.[MADE_WITH] &&
    !isGoing(pod) &&
    !isDead(pod) &&
    !hasEndedPart(pod)
  );
}

/**
 * Returns a digest of the names, file modes and contents of these entries. Modes of directories do not count:
 * the pod sets its own.
 */
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
