import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { posix } from "node:path";
import type { Readable, Writable } from "node:stream";
import { furnish } from "../commands/furnish.ts";
import { PIPES_INSIDE, Pipes, pipePaths } from "../commands/pipes.ts";
import { Supervisor } from "../commands/supervisor.ts";
import type { NetworkNamespace } from "../egress/egress.ts";
import type { Place } from "../inside/disk.ts";
import { hostUid, type SandboxFiles } from "../inside/sandbox-files.ts";
import { DiskLimitError, SandboxError, type SandboxSpec } from "../sandbox.ts";
import { BubblewrapSandbox } from "./bubblewrap-sandbox.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { Cgroup, Cgroups } from "./cgroups.ts";
import type { DiskImage } from "./disk-image.ts";
import type { HostPrograms } from "./host-programs.ts";
import { type Launch, launch } from "./launch.ts";
import { IN_USE, MOUNT_REFUSED } from "./launch-script.ts";
import { stageDirectories } from "./stages.ts";
import type { PreparedSystem } from "./system-mount.ts";
import { openSystemNamespace } from "./system-namespace.ts";
import { Templates } from "./templates.ts";

const LONGEST_START_MS = 20_000;
/** Places of the disk that lie in the system of who changes it. */
const SYSTEM_PLACES = ["/home/agent", "/var/tmp"];
/** Commands at once that need no further program to begin. */
const FIRST_PIPES = 2;

/** What a sandbox needs of its engine. */
export interface SandboxHost {
  programs: HostPrograms;
  /** What the engine has generated for all its sandboxes. */
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
  log(line: object): void;
  /** Called when the sandbox is gone; `whole` is false when something of it could not be taken away. */
  released(whole: boolean): void;
}

/** What was made for the sandbox before it starts. */
export interface Made {
  directory: string;
  /** The filesystem in a file that the writable places lie in, to be mounted; null where they are plain directories. */
  image: DiskImage | null;
  /** Null where the host's own is shown. */
  system: PreparedSystem | null;
  files: SandboxFiles;
  network: NetworkNamespace;
  cgroup: Cgroup;
}

/**
 * Starts the first process of a sandbox whose places, network and control group are made, and furnishes it.
 *
 * @param undo takes what has to be undone when opening fails.
 */
export async function startSandbox(
  host: SandboxHost,
  spec: SandboxSpec,
  made: Made,
  undo: (() => Promise<unknown>)[],
): Promise<BubblewrapSandbox> {
  const seccompFd = openSync(`${host.directory}/filter`, "r");
  const rootFd = spec.system?.changes === undefined ? null : await openSystemNamespace();
  try {
    const uid = hostUid(spec);
    const options = await launchOptions(host, spec, made, uid, seccompFd, rootFd);
    const { child, init: initPid } = await launch(options);
    undo.push(async () => child.kill("SIGKILL"));
    const supervisor = new Supervisor(
      { input: child.stdin as Writable, output: child.stdout as Readable },
      () => {
        host.log({ msg: "process 1 of a sandbox does not answer", sandbox: spec.id });
        child.kill("SIGKILL");
      },
    );
    const init = await started(child, initPid, supervisor);
    const templates = templatesOf(host, spec, made.files, options, child.pid, init);
    const sandbox = new BubblewrapSandbox({
      id: spec.id,
      child,
      init,
      supervisor,
      pipes: new Pipes(made.files.pipes, uid, host.programs.mkfifo, FIRST_PIPES),
      cgroup: made.cgroup,
      gauge: made.cgroup.gauge,
      network: made.network,
      directory: made.directory,
      uploads: made.files.uploads,
      writable: ["/tmp", ...made.files.writable.map(({ inside }) => inside)],
      mounted: made.files.files.map(({ inside }) => inside),
      ...(templates === null ? {} : { templates }),
      released: host.released,
    });
    await restore(templates, spec);
    await furnish(sandbox, made.files);
    return sandbox;
  } finally {
    closeSync(seccompFd);
    if (rootFd !== null) closeSync(rootFd);
  }
}

async function launchOptions(
  { programs, system, directory, cgroups }: SandboxHost,
  spec: SandboxSpec,
  { image, system: prepared, files, network, cgroup }: Made,
  uid: number | null,
  seccompFd: number,
  rootFd: number | null,
): Promise<Launch> {
  const { stages, reach } = stageDirectories(uid === null ? [] : stagesOf(directory, spec, image, prepared));
  const mountedHere = [image?.path, prepared?.stage];
  const overlay = prepared?.mount(reach(prepared.stage)) ?? null;
  const reachable = (places: readonly Place[]) =>
    places.map(({ host, inside }) => ({ host: reach(host), inside }));
  const sources = {
    system:
      prepared === null || overlay === null
        ? [...system, "--ro-bind", reach(`${directory}/etc`), "/etc"]
        : await prepared.arguments(overlay.at),
    programs: reach(`${directory}/programs`),
    pipes: reach(files.pipes),
    uploads: reach(files.uploads),
    // Who changes the system has its own /home and /var/tmp.
    writable: reachable(files.writable).filter(
      ({ inside }) => rootFd === null || !SYSTEM_PLACES.includes(inside),
    ),
    files: reachable(files.files),
    directories: reachable(files.directories),
  };
  return {
    programs,
    uid,
    processFiles: cgroup.processFiles,
    controllers: cgroups.controllers,
    limits: spec.limits,
    network,
    seccompFd,
    bwrapArguments: bwrapArguments(sources, spec.limits, rootFd !== null),
    stages: stages.filter(({ from }) => !mountedHere.includes(from)),
    system: overlay,
    rootFd,
    disk: image && {
      image,
      at: reach(image.path),
      places: sources.writable.map(({ host }) => host),
    },
    pipes: pipePaths(files.pipes, FIRST_PIPES),
    supervisor: `${PIPES_INSIDE}/supervisor`,
  };
}

function templatesOf(
  { log }: SandboxHost,
  { id, disk }: SandboxSpec,
  { writable }: SandboxFiles,
  { uid, disk: mounted, programs }: Launch,
  pid: number | undefined,
  init: number,
): Templates | null {
  if (uid === null || pid === undefined) return null;
  const places = writable.map(({ inside }) => inside);
  return new Templates(
    { perl: programs.perl, bwrap: pid, init, uid, disk: mounted?.at ?? disk, places },
    (line) => log({ ...line, sandbox: id }),
  );
}

async function restore(templates: Templates | null, { templates: wanted = [] }: SandboxSpec): Promise<void> {
  if (wanted.length === 0) return;
  if (templates === null) throw new SandboxError("this machine cannot mount templates");
  await templates.restore(wanted);
}

/** The host's pid of process 1, once it answers. */
async function started(child: ChildProcess, init: Promise<number>, supervisor: Supervisor): Promise<number> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    if (complaint.length < 2000) complaint += String(chunk);
  });
  const spawned = new Promise<never>((_, reject) => child.once("error", reject));
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_START_MS);
  const pid = await Promise.race([init.catch(() => null), spawned]);
  const ready = await Promise.race([supervisor.ready, spawned]).finally(() => clearTimeout(timer));
  if (pid !== null && ready) return pid;
  throw await refusal(child, complaint.trim());
}

/** Why it ended, or is ended now as it does not answer. */
async function refusal(child: ChildProcess, complaint: string): Promise<SandboxError> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  if (child.exitCode === IN_USE) return new SandboxError("the disk is still in use");
  return child.exitCode === MOUNT_REFUSED
    ? new DiskLimitError("its loop devices cannot be used", { cause: complaint })
    : new SandboxError(`bubblewrap could not start: ${complaint || "it ended"}`);
}

/** Directories that are mounted lie mostly side by side, and what holds them is shown once. */
function stagesOf(
  directory: string,
  { disk, directories = [] }: SandboxSpec,
  image: DiskImage | null,
  system: PreparedSystem | null,
): string[] {
  return [
    ...new Set([
      directory,
      image?.path ?? disk,
      ...(system === null ? [] : [system.stage]),
      ...directories.map(({ source }) => posix.dirname(source)),
    ]),
  ];
}
