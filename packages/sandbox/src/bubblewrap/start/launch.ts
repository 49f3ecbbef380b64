import type { ChildProcess } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { NetworkNamespace } from "@berth/egress";
import type { Controller } from "../../host/cgroup/cgroup-layouts.ts";
import { mayDumpCore } from "../../host/core-dumps.ts";
import { openFilesLimit } from "../../host/open-files.ts";
import { type LimitName, resourceLimit } from "../../host/resource-limits.ts";
import { MAX_TERMINALS } from "../../host/terminals.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { Limits } from "../../interface/spec.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import type { BindMount } from "../launch/bind-mounts.ts";
import type { HostPrograms } from "../launch/host-programs.ts";
import { takenArguments } from "../launch/launch-program.ts";
import { DESCRIPTORS, pipeOf } from "../launch/launchers.ts";
import type { OverlayMount } from "../system-layers/system-mount.ts";

/** Numbers of resource limits (RLIMIT_…). */
const NUMBERS: Readonly<Record<LimitName, number>> = { data: 2, core: 4, nproc: 6, nofile: 7 };

export interface Launch {
  programs: HostPrograms;
  /** A process in its control group that waits for its steps. */
  launcher: ChildProcess;
  /** Host uid to run as; null when this process is not root. */
  uid: number | null;
  /** Controllers that limit the sandbox; resource limits replace the missing ones. */
  controllers: readonly Controller[];
  limits: Limits;
  /** The processor cores to run on; null for all. */
  cores: readonly number[] | null;
  network: Pick<NetworkNamespace, "netFd" | "userFd">;
  bwrapArguments: readonly string[];
  /** Host directories whose paths the uid cannot reach, and the paths at which bwrap finds them. */
  bindMounts: readonly BindMount[];
  /** The system to mount; null when the sandbox shows the host's. */
  system: OverlayMount | null;
  /**
   * Descriptor of a user namespace in which to run as root, instead of as `uid`, to change a system; null for
   * sessions.
   */
  rootFd: number | null;
  /**
   * The disk to mount and the directories to create on it, by paths that the launching process uses. Null for
   * a disk without an image.
   */
  disk: DiskMount | null;
  /** Paths of named pipes to make. */
  pipes: readonly string[];
  /** The command of process 1. */
  supervisor: readonly string[];
}

export interface DiskMount {
  image: DiskImage;
  at: string;
  directories: readonly { path: string; mode: number }[];
}

export interface Launched {
  /** The bwrap process, whose only child is process 1. */
  child: ChildProcess;
  /** Host pid of process 1. Rejects with `SandboxError` when bwrap ends before process 1 exists. */
  init: Promise<number>;
  /**
   * Disarms the guard, which kills everything when this process or bwrap ends. Call it when process 1 runs.
   */
  disarmGuard(): void;
}

/**
 * Starts bwrap. The process first enters the network namespace, sets its limits and drops its privileges. Its
 * environment is always empty.
 */
export async function launch(options: Launch): Promise<Launched> {
  const command = [
    options.programs.bwrap,
    ...["--args", String(DESCRIPTORS.arguments), "--", ...options.supervisor],
  ];
  const steps = await stepsOf(options);
  const child = options.launcher;
  const own = ["--seccomp", String(DESCRIPTORS.seccomp), "--info-fd", String(DESCRIPTORS.info)];
  const text = [...options.bwrapArguments, ...own].map((argument) => `${argument}\0`).join("");
  for (const [descriptor, given] of [
    [DESCRIPTORS.steps, takenArguments(steps, command)],
    [DESCRIPTORS.arguments, text],
  ] as const) {
    const pipe = pipeOf<Writable>(child, descriptor);
    pipe.on("error", () => {});
    pipe.end(given);
  }
  return { child, init: initPid(child), disarmGuard: guardOf(child) };
}

/** Returns the steps of the process before it executes bwrap; see `launch.pl`. */
async function stepsOf(options: Launch): Promise<string[]> {
  const { network, bindMounts, system, disk, pipes, uid, rootFd, cores } = options;
  const userFd = rootFd ?? network.userFd;
  const enterUser = network.userFd === null ? [] : ["enter", "user"];
  const owner = String(uid ?? -1);
  return [
    ...["hold", "net", ownDescriptor(network.netFd)],
    ...(userFd === null ? [] : ["hold", "user", ownDescriptor(userFd)]),
    // Without root, mounting is only allowed inside the user namespace.
    ...enterUser,
    "apart",
    ...["ptys", String(MAX_TERMINALS)],
    ...bindMounts.flatMap(({ from, at }) => ["bind", from, at]),
    ...(disk === null ? [] : ["disk", disk.image.path, disk.at]),
    ...(disk?.directories ?? []).flatMap(({ path, mode }) => ["place", path, owner, mode.toString(8)]),
    // Mounted after the disk, because the upper layer of a changeable system is on it.
    ...(system === null ? [] : overlaySteps(system, owner)),
    ...pipes.flatMap((path) => ["pipe", path, owner]),
    ...["enter", "net"],
    ...(await resourceLimits(options)),
    ...(cores === null ? [] : ["cores", cores.join(",")]),
    ...(rootFd === null ? [] : ["enter", "user", "become", "0"]),
    ...(uid === null || rootFd !== null ? [] : ["become", owner]),
    // As root of a user namespace, bwrap regains the capabilities, unless the service may not gain
    // privileges; then it must keep them.
    ...(enterUser.length > 0 && rootFd === null ? [] : ["bare"]),
  ];
}

/** Returns a path by which a child of this process can open the file of this process's descriptor. */
function ownDescriptor(descriptor: number): string {
  return `/proc/${process.pid}/fd/${descriptor}`;
}

function overlaySteps({ at, lower, changes }: OverlayMount, owner: string): string[] {
  const below = `lowerdir=${lower.join(":")}`;
  if (changes === null) return ["overlay", below, at];
  const { upper, work } = changes;
  const own = [upper, work].flatMap((path) => ["place", path, owner, "700"]);
  return [...own, "overlay", `${below},upperdir=${upper},workdir=${work}`, at];
}

/** Returns a function that tells the guard of `launch.pl`, by a byte on its descriptor, to stop guarding. */
function guardOf(child: ChildProcess): () => void {
  const guard = pipeOf<Writable>(child, DESCRIPTORS.guard);
  return () => guard.end("1");
}

/**
 * Reads the pid of process 1, which bwrap writes as JSON in several writes. All output is read: closing the
 * pipe early would kill bwrap before it lets process 1 continue, which would then wait forever.
 */
function initPid(child: ChildProcess): Promise<number> {
  const info = pipeOf<Readable>(child, DESCRIPTORS.info);
  return new Promise((resolve, reject) => {
    let text = "";
    info.on("data", (chunk) => {
      text += String(chunk);
      const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.once("error", reject);
    info.once("close", () => reject(new SandboxError("bubblewrap ended before the sandbox started")));
  });
}

async function resourceLimits({ controllers, limits, uid }: Launch): Promise<string[]> {
  const result = [
    ...limitStep("nofile", openFilesLimit(limits.pids)),
    ...limitStep("core", mayDumpCore() ? Number.POSITIVE_INFINITY : 0, 0),
  ];
  if (!controllers.includes("pids")) {
    // The kernel counts all processes of the uid on this host, so the running ones are added.
    const running = await processesOf(uid ?? process.getuid?.() ?? 0);
    result.push(...limitStep("nproc", running + limits.pids));
  }
  // Limits data rather than address space, because runtimes reserve far more addresses than they use.
  if (!controllers.includes("memory")) result.push(...limitStep("data", limits.memoryBytes));
  return result;
}

function limitStep(name: LimitName, wanted: number, wantedSoft = wanted): string[] {
  const { soft, hard } = resourceLimit(name, wanted, wantedSoft);
  return ["limit", String(NUMBERS[name]), String(soft), String(hard)];
}

async function processesOf(uid: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const owners = await Promise.all(
    pids.map((pid) =>
      stat(`/proc/${pid}`).then(
        (entry) => entry.uid,
        () => -1,
      ),
    ),
  );
  return owners.filter((owner) => owner === uid).length;
}
