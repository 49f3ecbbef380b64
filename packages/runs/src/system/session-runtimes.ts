import type { ChosenRuntimes, ResolvedRuntime } from "@berth/contract";
import {
  type LaterRuntimes,
  type LayerRuntimes,
  type MissingRuntime,
  type PreparedRuntimes,
  RootFilesystemError,
  type RuntimeStore,
} from "@berth/sandbox";
import type { DatabaseAccess } from "@berth/store/db";
import { RUNTIME_TITLES, releasesOf } from "@berth/store/runtimes";
import type { SystemDeps, SystemRequest } from "./session-system.ts";

export interface RuntimeDeps {
  db: Pick<DatabaseAccess, "read">;
  runtimes: RuntimeStore | null;
  systems: SystemDeps | null;
}

/** The runtimes of a sandbox. */
export interface SessionRuntimes extends PreparedRuntimes {
  /** Where the runtimes come that the session is to choose; null when it has them, or chooses none. */
  later: LaterRuntimes | null;
  /** Those that its environment names, which what sessions share is built with; null for none. */
  shared: LayerRuntimes | null;
}

/** The parts of a session that say which runtimes it has. */
type Chosen = Pick<SystemRequest["session"], "runtimes" | "missingRuntimes" | "toChoose">;

const NONE = { directories: [], trees: [], missing: [], variables: {}, release() {} };

/**
 * Returns the runtimes of a sandbox that is about to open, those that its environment or the session chose;
 * null for none. Waits for the root filesystem, which they are tried on, and for missing ones.
 *
 * @throws the signal's reason, a RootFilesystemError, or another SandboxError.
 */
export async function sessionRuntimes(
  deps: RuntimeDeps,
  request: { session: Chosen } & Pick<SystemRequest, "signal" | "progress">,
): Promise<SessionRuntimes | null> {
  const { session } = request;
  const prepared = await preparedRuntimes(deps, request);
  if (session.toChoose === null || deps.runtimes === null)
    return prepared && { ...prepared, later: null, shared: prepared };
  const later = await deps.runtimes.prepareLater();
  const release = () => {
    prepared?.release();
    void later.remove();
  };
  return { ...NONE, ...prepared, directories: later.directories, shared: prepared, later, release };
}

async function preparedRuntimes(
  deps: RuntimeDeps,
  { session, signal, progress }: { session: Chosen } & Pick<SystemRequest, "signal" | "progress">,
): Promise<PreparedRuntimes | null> {
  const { runtimes } = deps;
  if (session.runtimes.length === 0 && session.missingRuntimes.length === 0) return null;
  if (runtimes === null) {
    const why = "this installation's sandboxes cannot have runtimes";
    return { ...NONE, missing: session.runtimes.map((one) => ({ ...one, title: titleOf(one), why })) };
  }
  progress.start("system");
  const settled = await deps.systems?.rootFilesystem.settled(signal);
  if (settled?.kind === "failed") throw new RootFilesystemError(settled.why, settled.retryAt);
  const rootFilesystem = settled?.kind === "ready" ? settled.path : null;
  progress.start("runtimes");
  const releases = await releasesOf(deps.db.read, session.runtimes, process.arch);
  const isKnown = ({ runtime }: { runtime: string }) => releases.some((one) => one.runtime === runtime);
  const unknown = session.runtimes
    .filter((one) => !isKnown(one))
    .map((one) => ({ ...one, title: titleOf(one), why: "it is not for this machine" }));
  return await runtimes.prepare({
    releases: releases.map((release) => ({ ...release, title: titleOf(release) })),
    rootFilesystem,
    absent: [...session.missingRuntimes.map(missingOf), ...unknown],
    signal,
  });
}

/** Returns sentences for people and models about runtimes that could not be had. */
export function runtimeFaults({ missing }: Pick<PreparedRuntimes, "missing">): string[] {
  // What no sandbox of the session can have was told when the session chose.
  return missing
    .filter(({ sentence }) => sentence === undefined)
    .map(({ title, why }) => `The session runs without ${title}: ${why}.`);
}

/** Returns the sentence about a runtime that a file asks for in vain. */
export function missingSentence(missing: ChosenRuntimes["missing"][number]): string {
  const { runtime, asked, file, line, available } = missing;
  const instead =
    available.length === 0 ? "no other version is either" : `available: ${available.join(", ")}`;
  return `${runtime} ${asked} (from ${file} line ${line}) is not available here; ${instead}`;
}

function missingOf(missing: ChosenRuntimes["missing"][number]): MissingRuntime {
  const { runtime, asked } = missing;
  const title = `${RUNTIME_TITLES[runtime]} ${asked}`;
  return { runtime, title, why: "it is not available", sentence: missingSentence(missing) };
}

function titleOf({ runtime, version }: Pick<ResolvedRuntime, "runtime" | "version">): string {
  return `${RUNTIME_TITLES[runtime]} ${version}`;
}
