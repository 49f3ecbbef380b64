import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { newUuid } from "@berth/contract";
import { removeTree } from "@berth/linux";
import {
  DEFAULT_LAYER_LIMITS,
  GATHERED_CACHES,
  gatherCaches,
  LAYERED_HOME,
  LimitWatch,
  lacksSpace,
  type MountedDirectory,
  type Sandbox,
  type SandboxEngine,
  type SandboxSpec,
  type SetupFailure,
  type SystemLayers,
  seesRefsOf,
  setUpClone,
  sizeOf,
} from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Mirror } from "./mirror-store.ts";
import {
  dropCaches,
  freeCaches,
  inheritCaches,
  nextLayer,
  removeEmptyLayer,
  type StoredCache,
  storeGathered,
} from "./package-caches.ts";
import { diskOf, mountSource, removeDisk, type SnapshotDirectory, setupLayer } from "./snapshot-directory.ts";
import { findFormerSetup, insertSnapshot, type SnapshotKey } from "./snapshot-store.ts";

const run = promisify(execFile);
const MEBIBYTE = 1024 ** 2;
const MAX_DISK_BYTES = 4_096 * MEBIBYTE;
const LIMITS = { memoryBytes: 3_072 * MEBIBYTE, pids: 1_024, cpus: 2 };
const MAX_COPY_MS = 60_000;
/** Where a setup's sandbox has the clone below a former result for a moment. */
const FORMER_CLONE = "/var/tmp/.berth-former";
/** Milliseconds, short enough that no disk can use up the reserved space in between. */
const SPACE_INTERVAL_MS = 100;

export interface SetupDeps {
  db: { write: Queryable };
  engine: Pick<SandboxEngine, "open" | "takeSnapshotChanges" | "takeDirectory">;
  directory: SnapshotDirectory;
  /** The most bytes of all mirrors and snapshots together. One setup may write a quarter of it. */
  maxBytes: number;
}

/** A setup that an environment requests for a repository. */
export interface SetupRequest {
  url: string;
  mountPath: string;
  script: string;
  environment: Readonly<Record<string, string>>;
  egress: SandboxSpec["egress"];
  /** The system of the sandbox; null for the engine's own. */
  system: SystemLayers | null;
  /** See `SandboxSpec.writable`. */
  writable: string[];
  /** Digest of all fields above, and of the session's runtimes, on which the result depends. */
  digest: string;
  /** The directories of the runtimes. */
  directories: readonly MountedDirectory[];
  onEgressDenied: NonNullable<SandboxSpec["onEgressDenied"]>;
}

/** The plain snapshot to set up. */
export interface SetupBase extends SnapshotKey {
  id: string;
  commit: string;
}

export type SetupResult = { state: "built"; bytes: number } | { state: "failed"; failure: SetupFailure };

/** The package caches of the last result of the same setup of the same checkout. */
interface Inherited {
  caches: readonly StoredCache[];
  /** uuid of the plain snapshot of that result. */
  baseId: string;
}

/**
 * Runs a setup script on a plain snapshot, in a sandbox without any credential and on a disk with a limit.
 * Stores the changes as a snapshot that is layered on the plain one, with the package caches. An unfinished
 * snapshot is deleted.
 *
 * The script begins with the caches of the last result of the same setup of the same checkout, if all that it
 * was made from is in the repository now. A script that fails with them runs again without them, so that they
 * decide about speed alone.
 *
 * @param onStart called with the snapshot's id before anything of it is on the disk.
 * @throws SandboxError when this machine cannot do it, and the signal's reason.
 */
export async function buildSetup(
  deps: SetupDeps,
  mirror: Mirror,
  base: SetupBase,
  request: SetupRequest,
  { signal, onStart }: { signal: AbortSignal; onStart(id: string): void },
): Promise<SetupResult> {
  const { directory, db } = deps;
  const id = newUuid();
  onStart(id);
  let isStored = false;
  try {
    const own = diskOf(directory, "snapshots", id);
    await mkdir(own, { recursive: true, mode: 0o711 });
    const failure = await whileSpaceIsLeft(own, signal, async (stopped) => {
      const whole = { ...request, id };
      const inherited = await inherit(deps, base, whole);
      const first = await changeSnapshot(deps, mirror, base, whole, inherited, stopped);
      if (first === null || first.timedOut || inherited === null) return first;
      for (const part of await readdir(own)) await removeTree(join(own, part));
      return await changeSnapshot(deps, mirror, base, whole, null, stopped);
    });
    if (failure !== null) return { state: "failed", failure };
    await run("sync", ["-f", own]);
    const { bytes, files } = await sizeOf(own);
    const { mirrorId, checkout, refsDigest, commit } = base;
    const counted = bytes + files * 4096;
    const key = { mirrorId, checkout, refsDigest, setup: request.digest };
    await insertSnapshot(db.write, { ...key, id, commit, bytes: counted, baseId: base.id });
    isStored = true;
    return { state: "built", bytes: counted };
  } finally {
    if (!isStored) await removeDisk(directory, "snapshots", id);
  }
}

/** Aborts the work when the filesystem of the directory becomes full, since others need it. */
async function whileSpaceIsLeft<T>(
  directory: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const space = new LimitWatch(() => lacksSpace(directory, DEFAULT_LAYER_LIMITS), SPACE_INTERVAL_MS);
  const result = await work(AbortSignal.any([signal, space.signal])).finally(() => space.stop());
  if (space.signal.aborted) throw new Error("This machine's disk has too little free space.");
  return result;
}

/** Gives the new snapshot the caches of the last result of its setup, unless that is large. */
async function inherit(
  { db, directory, maxBytes }: SetupDeps,
  { mirrorId, checkout }: SetupBase,
  { id, digest, mountPath }: NewSetup,
): Promise<Inherited | null> {
  const former = await findFormerSetup(db.write, { mirrorId, checkout, setup: digest });
  if (former === null || former.bytes > diskLimit(maxBytes)) return null;
  const caches = await inheritCaches(directory, { id, former: former.id, taken: [mountPath] });
  return caches.length === 0 ? null : { caches, baseId: former.baseId };
}

/** A setup request with the uuid of the snapshot to make. */
type NewSetup = SetupRequest & { id: string };

function diskLimit(maxBytes: number): number {
  return Math.min(MAX_DISK_BYTES, Math.floor(maxBytes / 4));
}

/** Runs the script and moves its changes into the layers of the snapshot. */
async function changeSnapshot(
  { engine, directory, maxBytes }: SetupDeps,
  { uid }: Mirror,
  base: SetupBase,
  request: NewSetup,
  inherited: Inherited | null,
  signal: AbortSignal,
): Promise<SetupFailure | null> {
  const { id, mountPath, egress, writable, directories, system, onEgressDenied } = request;
  const disk = join(diskOf(directory, "snapshots", id), "disk");
  const name = `setup_${id.replaceAll("-", "")}`;
  const diskBytes = diskLimit(maxBytes);
  const limits = { ...LIMITS, diskBytes };
  const spec = { id: name, disk, uid, limits, egress, files: [], writable, directories, onEgressDenied };
  const sandbox = await engine.open(system === null ? spec : { ...spec, system });
  const stop = () => void sandbox.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let mounted: readonly StoredCache[] = [];
  let isGathered = false;
  try {
    const source = mountSource(directory, "snapshots", base.id);
    const isMounted = await sandbox.mountSnapshot({ source, name: base.id, uid, target: mountPath });
    signal.throwIfAborted();
    if (!isMounted) throw new Error("The snapshot could not be mounted at the repository's path.");
    if (inherited !== null)
      mounted = await mountInherited(sandbox, directory, inherited, { id, uid, mountPath });
    if (inherited !== null && mounted.length === 0) await dropCaches(directory, id);
    const failure = await setUpIn(sandbox, request);
    signal.throwIfAborted();
    if (failure === "stopped") return { why: "it ended its sandbox", output: "" };
    if (failure !== null) return failure;
    const others = freeCaches([mountPath]).filter(([cache]) => !mounted.some((one) => one.name === cache));
    isGathered = others.length > 0 && (await gatherCaches(sandbox, Object.fromEntries(others)));
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    await sandbox.close();
  }
  const isWhole =
    (await engine.takeSnapshotChanges(disk, mountPath, setupLayer(directory, id), signal)) &&
    (await takeCaches({ engine, directory }, { id, disk, mounted, isGathered }, signal));
  await removeTree(disk);
  return isWhole ? null : { why: `it filled its disk, which holds ${diskBytes / MEBIBYTE} MiB`, output: "" };
}

/**
 * Mounts inherited caches, all or none: none when something that the former result was made from, such as a
 * branch that was rewritten, is no longer in the repository. The result may then contain what the readers of
 * the repository may not see now.
 */
async function mountInherited(
  sandbox: Sandbox,
  directory: SnapshotDirectory,
  { caches, baseId }: Inherited,
  { id, uid, mountPath }: { id: string; uid: number; mountPath: string },
): Promise<readonly StoredCache[]> {
  const former = {
    source: mountSource(directory, "snapshots", baseId),
    name: baseId,
    uid,
    target: FORMER_CLONE,
  };
  if (!(await sandbox.mountSnapshot(former))) return [];
  const isVisible = await seesRefsOf(sandbox, { present: mountPath, former: FORMER_CLONE });
  if (!(await sandbox.unmountSnapshot(FORMER_CLONE)) || !isVisible) return [];
  const mounts = caches.map(({ target, layers: [source, ...layers] }) => ({
    source,
    layers,
    name: id,
    uid,
    target,
  }));
  const mounted = await Promise.all(mounts.map((mount) => sandbox.mountSnapshot(mount)));
  if (mounted.every((isMounted) => isMounted)) return caches;
  await Promise.all(mounts.map(({ target }) => sandbox.unmountSnapshot(target)));
  return [];
}

/** Takes the caches from the disk of a closed sandbox. Returns false when the disk is full. */
async function takeCaches(
  { engine, directory }: Pick<SetupDeps, "engine" | "directory">,
  taken: { id: string; disk: string; mounted: readonly StoredCache[]; isGathered: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const { id, disk, mounted, isGathered } = taken;
  for (const cache of mounted) {
    const layer = nextLayer(directory, id, cache);
    if (!(await engine.takeSnapshotChanges(disk, cache.target, layer, signal))) return false;
    await removeEmptyLayer(layer);
  }
  if (!isGathered || engine.takeDirectory === undefined) return true;
  const gathered = join(diskOf(directory, "snapshots", id), "gathered");
  if (!(await engine.takeDirectory(disk, GATHERED_CACHES, gathered, signal))) return false;
  await storeGathered(directory, id, gathered);
  return true;
}

/** Runs the script. The home directory is filled as in the first sandbox of a session. */
async function setUpIn(sandbox: Sandbox, request: SetupRequest): Promise<SetupFailure | "stopped" | null> {
  if ((request.system?.layers ?? []).length > 0)
    await sandbox.run({ script: `cp -an ${LAYERED_HOME}/. /home/agent/`, timeoutMs: MAX_COPY_MS });
  return await setUpClone(sandbox, request, request);
}
