import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { lstat, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeTree } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { LayerFailure } from "../system/build-layer.ts";
import { DEFAULT_LAYER_LIMITS, LimitWatch, lacksSpace, MIB } from "../system/layer-limits.ts";
import type { RuntimeScript } from "./runtime-script.ts";

const run = promisify(execFile);
/** Owner of the trees on the host when the engine is root, below the uids of sessions. */
const UID = 299_990;
const LIMITS = { memoryBytes: 3072 * MIB, pids: 1_024, cpus: 2, diskBytes: null };
const TIMEOUT_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 4_096;
const SPACE_INTERVAL_MS = 100;

export interface RuntimeMake extends RuntimeScript {
  /** Path of the finished tree, which exists only once it is complete. */
  path: string;
  /** Root filesystem of the sandbox; null for the engine's own. */
  rootFilesystem: string | null;
  signal: AbortSignal;
}

/**
 * Makes the tree of a runtime in a sandbox without secrets, syncs it and renames it. What is unfinished is
 * deleted.
 *
 * @returns null on success.
 * @throws SandboxError when this machine cannot make it.
 */
export async function makeRuntime(engine: SandboxEngine, make: RuntimeMake): Promise<LayerFailure | null> {
  const { path, signal } = make;
  const making = `${path}.making`;
  try {
    await removeTree(making);
    await mkdir(making, { recursive: true, mode: 0o711 });
    const space = new LimitWatch(() => lacksSpace(making, DEFAULT_LAYER_LIMITS), SPACE_INTERVAL_MS);
    const stopped = AbortSignal.any([signal, space.signal]);
    const failure = await makeTree(engine, { ...make, signal: stopped }, making)
      .catch((error) => {
        if (stopped.aborted) return { why: "it was cut off", output: "" };
        throw error;
      })
      .finally(() => space.stop());
    if (space.signal.aborted) return { why: "this machine's disk has too little space left", output: "" };
    if (failure !== null) return failure;
    await run("sync", ["-f", making]);
    await rename(join(making, "tree"), path);
    return null;
  } finally {
    await removeTree(making);
  }
}

async function makeTree(
  engine: SandboxEngine,
  { script, environment, hosts, rootFilesystem, signal }: RuntimeMake,
  making: string,
): Promise<LayerFailure | null> {
  const disk = join(making, "disk");
  const sandbox = await engine.open({
    id: `runtime_${randomBytes(8).toString("hex")}`,
    disk,
    uid: UID,
    limits: LIMITS,
    egress: { mode: "limited", hosts },
    files: [],
    writable: [],
    ...(rootFilesystem === null ? {} : { system: { rootFilesystem } }),
  });
  const stop = () => void sandbox.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
    const { exitCode, ended, output, denied } = await sandbox.run({ script, environment, ...limits });
    const text = Buffer.from(output).toString().trim();
    if (denied !== undefined && exitCode !== 0)
      return { why: `it may not reach ${denied.map(({ host }) => host).join(", ")}`, output: text };
    if (ended === "timeout") return { why: "it took longer than 15 minutes", output: text };
    if (exitCode !== 0) return { why: text.split("\n").at(-1) || "it was cut off", output: text };
  } finally {
    signal.removeEventListener("abort", stop);
    await sandbox.close();
  }
  signal.throwIfAborted();
  const tree = join(making, "tree");
  if (!(await engine.takeDirectory?.(disk, "data/tree", tree, signal)))
    return { why: "it filled its disk", output: "" };
  // The sandbox made it, so it may be a link, or have one in place of its programs.
  for (const path of [tree, join(tree, "bin")]) {
    if (!(await lstat(path)).isDirectory()) throw new SandboxError("a runtime is no directory");
  }
  return null;
}
