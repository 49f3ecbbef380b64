import { posix } from "node:path";
import { pipePaths } from "../../commands/pipes.ts";
import { supervisorCommand } from "../../commands/supervisor.ts";
import type { Place } from "../../inside/disk.ts";
import type { SandboxSpec } from "../../interface/spec.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import { planBindMounts } from "../launch/bind-mounts.ts";
import type { PreparedSystem } from "../system-layers/system-mount.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { Launch } from "./launch.ts";
import type { Made, SandboxHost } from "./sandbox-host.ts";

/** Places of the disk that lie in the system of who changes it. */
const SYSTEM_PLACES = ["/home/agent", "/var/tmp"];
/** Commands at once that need no further program to begin. */
export const FIRST_PIPES = 2;

/** How the first process of a sandbox is launched, with every directory where that process finds it. */
export async function launchOptions(
  { programs, system, directory, cgroups }: SandboxHost,
  spec: SandboxSpec,
  { image, system: prepared, files, network, cgroup }: Made,
  { uid, seccompFd, rootFd }: Pick<Launch, "uid" | "seccompFd" | "rootFd">,
): Promise<Launch> {
  const { bindMounts, reach } = planBindMounts(
    uid === null ? [] : bindMountsOf(directory, spec, image, prepared),
  );
  const mountedHere = [image?.path, prepared?.stage];
  const overlay = prepared?.mount(reach(prepared.stage), reach(image?.path ?? spec.disk)) ?? null;
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
    bindMounts: bindMounts.filter(({ from }) => !mountedHere.includes(from)),
    system: overlay,
    rootFd,
    disk: image && {
      image,
      at: reach(image.path),
      places: sources.writable.map(({ host }) => host),
    },
    pipes: pipePaths(files.pipes, FIRST_PIPES),
    supervisor: supervisorCommand(programs.restoresSignals ? "env" : "no"),
  };
}

/** Directories that are mounted lie mostly side by side, and what holds them is shown once. */
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
      ...(system === null ? [] : [system.stage]),
      ...directories.map(({ source }) => posix.dirname(source)),
    ]),
  ];
}
