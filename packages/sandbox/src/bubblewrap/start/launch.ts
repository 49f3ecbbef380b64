import type { ChildProcess } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { NetworkNamespace } from "@berth/egress";
import { hardLimit } from "@berth/linux";
import type { Controller } from "../../host/cgroup/cgroup-layouts.ts";
import { openFilesLimit } from "../../host/open-files.ts";
import { MAX_TERMINALS } from "../../host/terminals.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { Limits } from "../../interface/spec.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import type { BindMount } from "../launch/bind-mounts.ts";
import type { HostPrograms } from "../launch/host-programs.ts";
import { takenArguments } from "../launch/launch-program.ts";
import { DESCRIPTORS, pipeOf } from "../launch/launchers.ts";
import type { OverlayMount } from "../system-layers/system-mount.ts";

/** Numbers of resource limits. */
const [DATA, CORE, NPROC, NOFILE] = ["2", "4", "6", "7"] as const;

export interface Launch {
  programs: HostPrograms;
  /** In its control group, and waiting for its steps. */
  launcher: ChildProcess;
  /** Host uid to run as; null where this process is not root. */
  uid: number | null;
  /** Controllers that limit the sandbox; resource limits replace the others. */
  controllers: readonly Controller[];
  limits: Limits;
  network: Pick<NetworkNamespace, "netFd" | "userFd">;
  bwrapArguments: readonly string[];
  /** Host directories whose own paths the uid cannot reach, and where bwrap finds them. */
  bindMounts: readonly BindMount[];
  /** The system to mount; null where the sandbox shows the host's. */
  system: OverlayMount | null;
  /** Descriptor of a user namespace to run as root in, instead of as `uid`, to change a system; null for sessions. */
  rootFd: number | null;
  /** The disk to mount and the directories to create on it, by the paths that the launching process uses. */
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
  /** bwrap, whose only child is process 1. */
  child: ChildProcess;
  /** Host pid of process 1. */
  init: Promise<number>;
  /** To be called when process 1 runs. Until then everything is killed when this process or bwrap ends. */
  disarmGuard(): void;
}

/**
 * Starts bwrap. Before the process becomes bwrap it enters the network namespace, sets its limits and drops its privileges. Its
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

/** What the process does before it becomes bwrap; see `launch.pl`. */
async function stepsOf(options: Launch): Promise<string[]> {
  const { network, bindMounts, system, disk, pipes, uid, rootFd } = options;
  const userFd = rootFd ?? network.userFd;
  const enterUser = network.userFd === null ? [] : ["enter", "user"];
  const owner = String(uid ?? -1);
  return [
    ...["hold", "net", ownDescriptor(network.netFd)],
    ...(userFd === null ? [] : ["hold", "user", ownDescriptor(userFd)]),
    // Without root only the user namespace allows mounts.
    ...enterUser,
    "apart",
    ...["ptys", String(MAX_TERMINALS)],
    ...bindMounts.flatMap(({ from, at }) => ["bind", from, at]),
    ...(disk === null ? [] : ["disk", disk.image.path, disk.at]),
    ...(disk?.directories ?? []).flatMap(({ path, mode }) => ["place", path, owner, mode.toString(8)]),
    // Its upper layer is on the disk, when it can be changed.
    ...(system === null ? [] : overlaySteps(system, owner)),
    ...pipes.flatMap((path) => ["pipe", path, owner]),
    ...["enter", "net"],
    ...(await resourceLimits(options)),
    ...(rootFd === null ? [] : ["enter", "user", "become", "0"]),
    ...(uid === null || rootFd !== null ? [] : ["become", owner]),
    // As root of a user namespace bwrap gets them back, unless the service may gain no privileges: then it must keep them.
    ...(enterUser.length > 0 && rootFd === null ? [] : ["bare"]),
  ];
}

/** A path by which a child of this process opens what a descriptor of this process has open. */
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

/** Ends the descriptor that the guard of `launch.pl` reads, with a byte. */
function guardOf(child: ChildProcess): () => void {
  const guard = pipeOf<Writable>(child, DESCRIPTORS.guard);
  return () => guard.end("1");
}

/**
 * bwrap writes the pid as JSON once process 1 exists, in several writes. All are read: a pipe that is closed early would kill
 * bwrap before it lets process 1 continue, and that would wait forever.
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
  const result = ["limit", NOFILE, String(openFilesLimit(limits.pids)), "limit", CORE, "0"];
  if (!controllers.includes("pids")) {
    // The kernel counts all processes of the uid on this host, so the running ones are added.
    const processes = Math.min(
      (await processesOf(uid ?? process.getuid?.() ?? 0)) + limits.pids,
      hardLimit("Max processes"),
    );
    result.push("limit", NPROC, String(processes));
  }
  // Data instead of address space: runtimes reserve far more addresses than they use.
  if (!controllers.includes("memory")) result.push("limit", DATA, String(limits.memoryBytes));
  return result;
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
