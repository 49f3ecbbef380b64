import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { loopBackingFiles } from "../../acceptance/harness/loop-devices.ts";
import { listOrEmpty, readlinkOrEmpty, readOrEmpty } from "../../acceptance/harness/read-or-empty.ts";
import { childrenOf, isAlive, pidOf } from "../../crash/processes.ts";

/**
 * The resources of a service's sandboxes on its host, read from the kernel and the data directory, not from
 * the service.
 */
export interface HostState {
  /**
   * Pids of living processes in its control groups, or with mounts from its data directory; waiting launchers
   * are excluded.
   */
  processes: number[];
  /** Mounts of the host that name its data directory. */
  mounts: string[];
  /** Loop devices on files of its data directory. */
  loops: string[];
  /** Control groups of single sandboxes, in each hierarchy, except that of the waiting launcher. */
  groups: string[];
  /** Network namespaces that its runner holds, except one for each sandbox and the prepared ones. */
  namespaces: number;
  /** Names of its runner's child processes, zombies included, except those that wait for the next sandbox. */
  helpers: string[];
  /** Generated directories of single sandboxes, and disks. */
  files: string[];
}

export interface Service {
  pid: number;
  dataDir: string;
}

const PREPARED_NAMESPACES = 8;

/** Reads the current state, which may include short-lived programs. */
export function hostState(service: Service): HostState {
  const runner = pidOf(service, "runner");
  const held = runner === null ? 0 : networkNamespacesOf(runner);
  const generated = generatedIn(join(service.dataDir, "sandbox"));
  const installation = readFileSync(join(service.dataDir, "installation"), "utf8").trim();
  return {
    processes: pids().filter(
      (pid) => isAlive(pid) && !isWaiting(pid) && belongsTo(pid, installation, basename(service.dataDir)),
    ),
    mounts: lines("/proc/mounts").filter((line) => line.includes(service.dataDir)),
    loops: loopBackingFiles(service.dataDir),
    groups: groupsOf(installation),
    namespaces: Math.max(0, held - generated.length - PREPARED_NAMESPACES),
    helpers: runner === null ? [] : helpersOf(runner),
    files: [...generated, ...listOrEmpty(join(service.dataDir, "sessions"))].sort(),
  };
}

/**
 * The number of equal readings in a row that count as stable: a short-lived program may show in one or two.
 */
const STABLE_READINGS = 10;

/** Returns the state once it is stable: namespaces are prepared, and no short-lived program runs. */
export async function stableState(service: Service): Promise<HostState> {
  let state = hostState(service);
  let same = 0;
  await waitUntilPasses(30_000, () => {
    const former = state;
    state = hostState(service);
    same = isDeepStrictEqual(state, former) ? same + 1 : 0;
    assert.ok(same >= STABLE_READINGS, `still changing: ${JSON.stringify([former, state])}`);
  });
  return state;
}

/**
 * Waits until the host is in its earlier state, and returns the milliseconds that it took. Throws after
 * `timeoutMs`, naming what remains.
 */
export async function waitUntilClean(
  service: Service,
  before: HostState,
  timeoutMs = 10_000,
): Promise<number> {
  return await waitUntilPasses(timeoutMs, () => assertNoMoreThan(hostState(service), before));
}

/** Asserts the same state, with at most as many namespaces: the number of prepared ones varies. */
export function assertNoMoreThan(now: HostState, before: HostState): void {
  assert.deepEqual({ ...now, namespaces: Math.max(now.namespaces, before.namespaces) }, before);
}

/**
 * Repeats a check until it does not throw, and returns the milliseconds that it took. Throws its error after
 * `timeoutMs`.
 */
export async function waitUntilPasses(timeoutMs: number, check: () => void): Promise<number> {
  const startedAt = performance.now();
  await pause(25);
  for (;;) {
    try {
      check();
      return performance.now() - startedAt;
    } catch (error) {
      if (performance.now() - startedAt > timeoutMs) throw error;
    }
    await pause(25);
  }
}

function pids(): number[] {
  return listOrEmpty("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function belongsTo(pid: number, installation: string, dataDirectory: string): boolean {
  if (readOrEmpty(`/proc/${pid}/cgroup`).includes(`/berth-${installation}/`)) return true;
  return readOrEmpty(`/proc/${pid}/mountinfo`).includes(`/${dataDirectory}/`);
}

function groupsOf(installation: string): string[] {
  const own = lines("/proc/self/cgroup").map((line) => line.split(":")[2] ?? "");
  const roots = ["/sys/fs/cgroup", ...listOrEmpty("/sys/fs/cgroup").map((name) => `/sys/fs/cgroup/${name}`)];
  const parents = roots.flatMap((root) =>
    ["", ...own].map((path) => join(root, path, `berth-${installation}`)),
  );
  return [...new Set(parents)].flatMap((parent) =>
    listOrEmpty(parent)
      .map((name) => `${parent}/${name}`)
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() && !holdsWaiting(path)),
  );
}

function holdsWaiting(group: string): boolean {
  const members = lines(`${group}/cgroup.procs`).filter(Boolean).map(Number);
  return members.length > 0 && members.every(isWaiting);
}

function isWaiting(pid: number): boolean {
  return WAITING.includes(nameOf(pid));
}

function networkNamespacesOf(pid: number): number {
  const held = listOrEmpty(`/proc/${pid}/fd`).map((fd) => readlinkOrEmpty(`/proc/${pid}/fd/${fd}`));
  return new Set(held.filter((target) => target.startsWith("net:["))).size;
}

/**
 * Returns the directories of single sandboxes. Each runner process has a directory with one for each sandbox,
 * and shared ones.
 */
function generatedIn(state: string): string[] {
  return listOrEmpty(state).flatMap((owner) =>
    listOrEmpty(join(state, owner))
      .filter((name) => /^[0-9a-z]{1,4}$/.test(name) && name !== "etc")
      .map((name) => `${owner}/${name}`),
  );
}

/** Helpers that launch a sandbox and mount its snapshots. They end after a minute without one. */
const WAITING = ["berth-launcher", "berth-mounter"];

function helpersOf(runner: number): string[] {
  return childrenOf(runner)
    .map(nameOf)
    .filter((name) => !WAITING.includes(name))
    .sort();
}

function nameOf(pid: number): string {
  return `${readOrEmpty(`/proc/${pid}/comm`).trim()}${isAlive(pid) ? "" : " (dead)"}`;
}

function lines(path: string): string[] {
  return readOrEmpty(path).split("\n");
}
