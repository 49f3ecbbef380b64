import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { loopBackingFiles } from "../../acceptance/harness/loop-devices.ts";
import { listOrEmpty, readlinkOrEmpty, readOrEmpty } from "../../acceptance/harness/read-or-empty.ts";
import { childrenOf, isAlive, pidOf } from "../../crash/processes.ts";

/** What a service has on its host for sandboxes, by what the kernel and the data directory say, not the service. */
export interface HostState {
  /** Pids of living processes in one of its control groups, or that see something of its data directory mounted. */
  processes: number[];
  /** Mounts of the host that name its data directory. */
  mounts: string[];
  /** Loop devices on files of its data directory. */
  loops: string[];
  /** Control groups of single sandboxes, in each hierarchy. */
  groups: string[];
  /** Network namespaces that its runner holds besides one for each sandbox and those that are made ahead. */
  namespaces: number;
  /** Programs that run below its runner, by name, also dead ones that nobody has reaped. */
  helpers: string[];
  /** What was generated for single sandboxes, and disks. */
  files: string[];
}

export interface Service {
  pid: number;
  dataDir: string;
}

const MADE_AHEAD = 8;

export function hostState(service: Service): HostState {
  const runner = pidOf(service, "runner");
  const held = runner === null ? 0 : networkNamespacesOf(runner);
  const generated = generatedIn(join(service.dataDir, "sandbox"));
  const installation = readFileSync(join(service.dataDir, "installation"), "utf8").trim();
  return {
    processes: pids().filter((pid) => isAlive(pid) && sees(pid, installation, basename(service.dataDir))),
    mounts: lines("/proc/mounts").filter((line) => line.includes(service.dataDir)),
    loops: loopBackingFiles(service.dataDir),
    groups: groupsOf(installation),
    namespaces: Math.max(0, held - generated.length - MADE_AHEAD),
    helpers: runner === null ? [] : childrenOf(runner).map(nameOf).sort(),
    files: [...generated, ...listOrEmpty(join(service.dataDir, "sessions"))].sort(),
  };
}

/** How often the same has to be seen, one look after another, to be at rest: a program may run for a moment longer than one. */
const LOOKS_AT_REST = 10;

/** As it is once nothing changes any more: what is made ahead is there, and no program runs for a moment only. */
export async function restingState(service: Service): Promise<HostState> {
  let state = hostState(service);
  let same = 0;
  await holds(30_000, () => {
    const former = state;
    state = hostState(service);
    same = isDeepStrictEqual(state, former) ? same + 1 : 0;
    assert.ok(same >= LOOKS_AT_REST, `still changing: ${JSON.stringify([former, state])}`);
  });
  return state;
}

/**
 * Waits until the host is as it was before, and answers how many milliseconds that took. Fails after `withinMs` with what is
 * still there.
 */
export async function settles(service: Service, before: HostState, withinMs = 10_000): Promise<number> {
  return await holds(withinMs, () => noMoreThan(hostState(service), before));
}

/** The same, with no namespace more: how many are made ahead at a moment varies. */
export function noMoreThan(now: HostState, before: HostState): void {
  assert.deepEqual({ ...now, namespaces: Math.max(now.namespaces, before.namespaces) }, before);
}

/** Waits until nothing is thrown any more. */
export async function holds(withinMs: number, check: () => void): Promise<number> {
  const began = performance.now();
  await pause(25);
  for (;;) {
    try {
      check();
      return performance.now() - began;
    } catch (error) {
      if (performance.now() - began > withinMs) throw error;
    }
    await pause(25);
  }
}

function pids(): number[] {
  return listOrEmpty("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function sees(pid: number, installation: string, dataDirectory: string): boolean {
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
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory()),
  );
}

function networkNamespacesOf(pid: number): number {
  const held = listOrEmpty(`/proc/${pid}/fd`).map((fd) => readlinkOrEmpty(`/proc/${pid}/fd/${fd}`));
  return new Set(held.filter((target) => target.startsWith("net:["))).size;
}

/** Each process has a directory, with what all its sandboxes share and one for each. */
function generatedIn(state: string): string[] {
  return listOrEmpty(state).flatMap((owner) =>
    listOrEmpty(join(state, owner))
      .filter((name) => /^[0-9a-z]{1,4}$/.test(name) && name !== "etc")
      .map((name) => `${owner}/${name}`),
  );
}

function nameOf(pid: number): string {
  return `${readOrEmpty(`/proc/${pid}/comm`).trim()}${isAlive(pid) ? "" : " (dead)"}`;
}

function lines(path: string): string[] {
  return readOrEmpty(path).split("\n");
}
