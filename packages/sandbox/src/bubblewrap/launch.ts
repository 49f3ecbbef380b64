import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { NetworkNamespace } from "../egress/egress.ts";
import { type Limits, SandboxError } from "../sandbox.ts";
import type { Controller } from "./cgroup-layouts.ts";
import { type DiskImage, MOUNT_OPTIONS } from "./disk-image.ts";
import type { HostPrograms } from "./host-programs.ts";
import type { Stage } from "./stages.ts";

const LONGEST_WAIT_SECONDS = 10;
/** Exit code when the disk could not be mounted. */
export const MOUNT_REFUSED = 124;

const MOST_OPEN_FILES = 16_384;
const SECCOMP = 3;
const ARGUMENTS = 4;
const NETWORK = 5;
const USER = 6;
const INFO = 7;

export interface Launch {
  programs: HostPrograms;
  /** Host uid to become; null where this process is not root. */
  uid: number | null;
  /** `cgroup.procs` files to join. */
  processFiles: readonly string[];
  /** Controllers that hold; rlimits stand in for the others. */
  controllers: readonly Controller[];
  limits: Limits;
  network: Pick<NetworkNamespace, "netFd" | "userFd">;
  seccompFd: number;
  bwrapArguments: readonly string[];
  /** Host directories that the uid cannot reach by their own paths, and where bwrap finds them. */
  stages: readonly Stage[];
  /** The system to mount over its stage, and where; null where the host's own is shown. */
  system: OverlayMount | null;
  /** Descriptor of the user namespace whose root to become instead of `uid`, for who changes a system; null for sessions. */
  rootFd: number | null;
  /** The disk to mount and the places to make on it, all as this process finds them. */
  disk: DiskMount | null;
  /** Path inside of the script of process 1. */
  supervisor: string;
}

export interface OverlayMount {
  options: string;
  at: string;
}

export interface DiskMount {
  image: DiskImage;
  at: string;
  places: readonly string[];
}

export interface Launched {
  /** bwrap, whose only child is process 1. */
  child: ChildProcess;
  /** Host pid of process 1. */
  init: Promise<number>;
}

/**
 * Starts bwrap. The process joins its groups, enters the network namespace, takes its limits and loses its
 * privileges before it becomes bwrap; its environment is empty all the way.
 */
export async function launch(options: Launch): Promise<Launched> {
  const { programs, network } = options;
  const enter = network.userFd === null ? [] : [`--user=/proc/self/fd/${USER}`, "--preserve-credentials"];
  const drop =
    options.uid === null || options.rootFd !== null
      ? []
      : [`--reuid=${options.uid}`, `--regid=${options.uid}`, "--clear-groups"];
  const root =
    options.rootFd === null
      ? []
      : [programs.nsenter, `--user=/proc/self/fd/${USER}`, "--setuid=0", "--setgid=0", "--"];
  const stage = options.stages.flatMap(({ from, at }) => [from, at]);
  const command = [
    ...[programs.nsenter, ...enter, `--net=/proc/self/fd/${NETWORK}`, "--"],
    ...[programs.prlimit, ...(await resourceLimits(options)), "--"],
    ...root,
    ...[programs.setpriv, ...drop, "--inh-caps=-all", "--"],
    ...[programs.bwrap, "--args", String(ARGUMENTS), "--", "/bin/sh", options.supervisor],
  ];
  const shell = [
    programs.bash,
    "--noprofile",
    "--norc",
    "-c",
    PREPARE,
    "bash",
    programs.mount,
    ...options.processFiles,
    "--",
    ...stage,
    "--",
    ...(options.system === null ? [] : [options.system.options, options.system.at]),
    "--",
    ...diskArguments(options),
    "--",
    ...command,
  ];
  const privately = stage.length > 0 ? [programs.unshare, "--mount", "--propagation=private", "--"] : [];
  const [program = "", ...rest] = [...privately, ...shell];
  const child = spawn(program, rest, {
    cwd: "/",
    env: {},
    stdio: [
      ...(["pipe", "pipe", "pipe"] as const),
      ...[
        options.seccompFd,
        "pipe" as const,
        network.netFd,
        options.rootFd ?? network.userFd ?? ("ignore" as const),
        "pipe" as const,
      ],
    ],
  });
  const text = [...options.bwrapArguments, "--seccomp", String(SECCOMP), "--info-fd", String(INFO)];
  const argumentsPipe = child.stdio[ARGUMENTS];
  if (argumentsPipe && "end" in argumentsPipe) {
    argumentsPipe.on("error", () => {});
    argumentsPipe.end(text.map((argument) => `${argument}\0`).join(""));
  }
  return { child, init: initPid(child) };
}

/** Whoever mounts the image holds its lock, so that one that is mounted already is found, and not attached a second time. */
function diskArguments({ disk, uid }: Launch): string[] {
  if (disk === null || uid === null) return [];
  return [disk.image.flock, disk.image.path, MOUNT_OPTIONS, disk.at, String(uid), ...disk.places];
}

/** Closes what this process was started with and Node knows nothing of, joins the groups, mounts the stages, the system (by the old call, as the new one takes no long list of layers) and the disk in its own mount namespace, which end with it, and becomes the rest of the arguments. */
const PREPARE = `for path in /proc/self/fd/*; do n=\${path##*/}; if [ "$n" -gt ${INFO} ]; then eval "exec $n>&-"; fi; done
mount=$1; shift
while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift
while [ "$1" != -- ]; do "$mount" --bind -- "$1" "$2" || exit 125; shift 2; done; shift
if [ "$1" != -- ]; then LIBMOUNT_FORCE_MOUNT2=always "$mount" --no-mtab --types overlay --options "$1" overlay "$2" || exit 125; shift 2; fi; shift
if [ "$1" != -- ]; then
  "$1" --timeout ${LONGEST_WAIT_SECONDS} "$2" "$mount" --no-mtab --types ext4 --options "$3" "$2" "$4" || exit ${MOUNT_REFUSED}
  owner=$5; shift 5
  while [ "$1" != -- ]; do mkdir -p -m 700 "$1" && chown "$owner:$owner" "$1" || exit 125; shift; done
fi; shift
exec "$@"`;

/**
 * bwrap tells it in JSON once process 1 exists, in several writes. All of them are read: a pipe that closes early kills bwrap
 * before it lets process 1 go on, which would wait for ever.
 */
function initPid(child: ChildProcess): Promise<number> {
  const info = (child.stdio as readonly unknown[])[INFO] as Readable;
  return new Promise((resolve, reject) => {
    let text = "";
    info.on("data", (chunk) => {
      text += String(chunk);
      const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.once("error", reject);
    info.once("close", () => reject(new SandboxError("bubblewrap ended before the sandbox stood")));
  });
}

async function resourceLimits({ controllers, limits, uid }: Launch): Promise<string[]> {
  const files = Math.min(MOST_OPEN_FILES, hardLimit("Max open files"));
  const result = [`--nofile=${files}:${files}`, "--core=0:0"];
  if (!controllers.includes("pids")) {
    // Counted over all processes of the uid on this host, so those that run already are added.
    const most = Math.min(
      (await processesOf(uid ?? process.getuid?.() ?? 0)) + limits.pids,
      hardLimit("Max processes"),
    );
    result.push(`--nproc=${most}:${most}`);
  }
  // Data rather than address space: runtimes reserve far more addresses than they use.
  if (!controllers.includes("memory")) result.push(`--data=${limits.memoryBytes}:${limits.memoryBytes}`);
  return result;
}

function hardLimit(name: string): number {
  const line = readFileSync("/proc/self/limits", "latin1")
    .split("\n")
    .find((text) => text.startsWith(name));
  const hard = line?.slice(26).trim().split(/\s+/)[1];
  return hard === undefined || hard === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(hard);
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
