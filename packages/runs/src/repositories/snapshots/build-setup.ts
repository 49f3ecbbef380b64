import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { newUuid } from "@berth/contract";
import { removeTree } from "@berth/linux";
import {
  DEFAULT_LAYER_LIMITS,
  LAYERED_HOME,
  LimitWatch,
  lacksSpace,
  type Sandbox,
  type SandboxEngine,
  type SandboxSpec,
  type SetupFailure,
  type SystemLayers,
  setUpClone,
  sizeOf,
} from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Mirror } from "./mirror-store.ts";
import { diskOf, mountSource, removeDisk, type SnapshotDirectory, setupLayer } from "./snapshot-directory.ts";
import { insertSnapshot, type SnapshotKey } from "./snapshot-store.ts";

const run = promisify(execFile);
const MEBIBYTE = 1024 ** 2;
const MAX_DISK_BYTES = 4_096 * MEBIBYTE;
const LIMITS = { memoryBytes: 3_072 * MEBIBYTE, pids: 1_024, cpus: 2 };
const MAX_COPY_MS = 60_000;
/** Milliseconds, short enough that no disk can use up the reserved space in between. */
const SPACE_INTERVAL_MS = 100;

export interface SetupDeps {
  db: { write: Queryable };
  engine: Pick<SandboxEngine, "open" | "takeSnapshotChanges">;
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
  /** Digest of all fields above, on which the result depends. */
  digest: string;
  onEgressDenied: NonNullable<SandboxSpec["onEgressDenied"]>;
}

/** The plain snapshot to set up. */
export interface SetupBase extends SnapshotKey {
  id: string;
  commit: string;
}

export type SetupResult = { state: "built"; bytes: number } | { state: "failed"; failure: SetupFailure };

/**
 * Runs a setup script on a plain snapshot, in a sandbox without any credential and on a disk with a limit.
 * Stores the changes as a snapshot that is layered on the plain one. An unfinished snapshot is deleted.
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
    const failure = await whileSpaceIsLeft(own, signal, (stopped) =>
      changeSnapshot(deps, mirror, base, { ...request, id }, stopped),
    );
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

/** Runs the script and moves its changes into the layer of the snapshot. */
async function changeSnapshot(
  { engine, directory, maxBytes }: SetupDeps,
  { uid }: Mirror,
  base: SetupBase,
  request: SetupRequest & { id: string },
  signal: AbortSignal,
): Promise<SetupFailure | null> {
  const { id, mountPath, egress, writable, system, onEgressDenied } = request;
  const disk = join(diskOf(directory, "snapshots", id), "disk");
  const name = `setup_${id.replaceAll("-", "")}`;
  const diskBytes = Math.min(MAX_DISK_BYTES, Math.floor(maxBytes / 4));
  const limits = { ...LIMITS, diskBytes };
  const spec = { id: name, disk, uid, limits, egress, files: [], writable, onEgressDenied };
  const sandbox = await engine.open(system === null ? spec : { ...spec, system });
  const stop = () => void sandbox.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const source = mountSource(directory, "snapshots", base.id);
    const isMounted = await sandbox.mountSnapshot({ source, name: base.id, uid, target: mountPath });
    signal.throwIfAborted();
    if (!isMounted) throw new Error("The snapshot could not be mounted at the repository's path.");
    const failure = await setUpIn(sandbox, request);
    signal.throwIfAborted();
    if (failure === "stopped") return { why: "it ended its sandbox", output: "" };
    if (failure !== null) return failure;
  } finally {
    signal.removeEventListener("abort", stop);
    await sandbox.close();
  }
  const isWhole = await engine.takeSnapshotChanges(disk, mountPath, setupLayer(directory, id), signal);
  await removeTree(disk);
  return isWhole ? null : { why: `it filled its disk, which holds ${diskBytes / MEBIBYTE} MiB`, output: "" };
}

/** Runs the script. The home directory is filled as in the first sandbox of a session. */
async function setUpIn(sandbox: Sandbox, request: SetupRequest): Promise<SetupFailure | "stopped" | null> {
  if ((request.system?.layers ?? []).length > 0)
    await sandbox.run({ script: `cp -an ${LAYERED_HOME}/. /home/agent/`, timeoutMs: MAX_COPY_MS });
  return await setUpClone(sandbox, request, request);
}
