import { posix } from "node:path";
import type { NetworkNamespace } from "@berth/egress";
import { supervisorCommand } from "../../commands/supervisor.ts";
import type { Cgroups } from "../../host/cgroup/cgroups.ts";
import type { Cores } from "../../host/cores.ts";
import { pipePaths } from "../../host/host-pipes.ts";
import type { SandboxFiles } from "../../host/sandbox-files.ts";
import { type Mount, modeOf } from "../../inside/mounts.ts";
import type { SandboxSpec } from "../../interface/spec.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import { planBindMounts } from "../launch/bind-mounts.ts";
import type { HostPrograms } from "../launch/host-programs.ts";
import type { Launcher } from "../launch/launchers.ts";
import type { MountHelper } from "../snapshot/mount-helper.ts";
import type { PreparedSystem } from "../system-layers/system-mount.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { Launch } from "./launch.ts";

/** The parts of the engine that a sandbox uses. */
export interface SandboxHost {
  programs: HostPrograms;
  mounts: MountHelper;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
  log(line: object): void;
  /** Called when the sandbox has been released; `whole` is false when some part could not be. */
  released(whole: boolean): void;
}

/** The parts that are made for a sandbox before it starts. */
export interface Made {
  directory: string;
  /** The image with the writable directories, to be mounted; null when they are plain directories. */
  image: DiskImage | null;
  /** The system to mount; null when the sandbox shows the host's. */
  system: PreparedSystem | null;
  files: SandboxFiles;
  network: NetworkNamespace;
  launcher: Launcher;
  cores: Cores;
}

/**
 * Directories that a sandbox which changes its system takes from that system, or has in memory, instead of on
 * the disk.
 */
const SYSTEM_DIRECTORIES = ["/home/agent", "/var/tmp", "/tmp"];
/** Number of concurrent commands that can start without making further pipes. */
export const FIRST_PIPES = 4;

/**
 * Returns the options that launch process 1 of a sandbox, with the paths by which the launching process
 * reaches each directory.
 */
export async function launchOptions(
  { programs, system, directory, cgroups }: SandboxHost,
  spec: SandboxSpec,
  { image, system: prepared, files, network, launcher, cores }: Made,
  { uid, rootFd }: Pick<Launch, "uid" | "rootFd">,
): Promise<Launch> {
  const { bindMounts, reach } = planBindMounts(
    uid === null ? [] : bindMountsOf(directory, spec, image, prepared),
  );
  const mountedByLaunch = [image?.path, prepared?.key];
  const overlay = prepared?.mount(reach(prepared.key), reach(image?.path ?? spec.disk)) ?? null;
  const reachable = (mounts: readonly Mount[]) =>
    mounts.map(({ host, inside }) => ({ host: reach(host), inside }));
  const sources = {
    system:
      prepared === null || overlay === null
        ? [...system, "--ro-bind", reach(`${directory}/etc`), "/etc"]
        : await prepared.arguments(overlay.at),
    programs: reach(`${directory}/programs`),
    pipes: reach(files.pipes),
    uploads: reach(files.uploads),
    gitConfig: files.gitConfig && reach(files.gitConfig),
    groups: launcher.cgroup.views,
    writable: reachable(files.writable).filter(
      ({ inside }) => rootFd === null || !SYSTEM_DIRECTORIES.includes(inside),
    ),
    files: reachable(files.files),
    directories: reachable(files.directories),
  };
  return {
    programs,
    launcher: launcher.child,
    uid,
    controllers: cgroups.controllers,
    limits: spec.limits,
    cores: cores.numbers,
    network,
    bwrapArguments: bwrapArguments(sources, spec.limits, rootFd !== null),
    bindMounts: bindMounts.filter(({ from }) => !mountedByLaunch.includes(from)),
    system: overlay,
    rootFd,
    disk: image && {
      image,
      at: reach(image.path),
      directories: sources.writable.map((mount) => ({ path: mount.host, mode: modeOf(mount) })),
    },
    pipes: pipePaths(files.pipes, FIRST_PIPES),
    supervisor: supervisorCommand(programs.restoresSignals ? "env" : "no"),
  };
}

/**
 * Returns the paths to bind mount. For mounted directories it is their parent, since most lie side by side.
 */
function bindMountsOf(
  directory: string,
  { disk, directories = [] }: SandboxSpec,
  image: DiskImage | null,
  system: PreparedSystem | null,
): string[] {
  return [
    ...new Set([
      directory,
      image?.path ?? disk,
      ...(system === null ? [] : [system.key]),
      ...directories.map(({ source }) => posix.dirname(source)),
    ]),
  ];
}
