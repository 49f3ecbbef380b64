import { existsSync } from "node:fs";
import type { CgroupView } from "../../host/cgroup/cgroups.ts";
import { HIDDEN_DIRECTORIES, HIDDEN_FILES } from "../../host/hidden-proc.ts";
import { limitVariables } from "../../host/limit-variables.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE, VARIABLES } from "../../inside/environment.ts";
import type { Mount } from "../../inside/mounts.ts";
import type { Limits } from "../../interface/spec.ts";
import { INSIDE_ID } from "../system-layers/root-filesystem.ts";

const MIB = 1024 * 1024;
const CGROUPS = "/sys/fs/cgroup";

/** The parts of the host that the sandbox sees, by paths that its uid can reach. */
export interface Sources {
  /** Options that mount `/usr`, `/etc` and the rest of the system. */
  system: readonly string[];
  programs: string;
  pipes: string;
  uploads: string;
  /** Path of git's system configuration; null for the one that the system contains. */
  gitConfig: string | null;
  /** Directories of the sandbox's control group. */
  groups: readonly CgroupView[];
  writable: readonly Mount[];
  files: readonly Mount[];
  directories: readonly Mount[];
}

/** Options to run commands as the agent, without capabilities, in a user namespace that bwrap makes. */
const AGENT = [
  ...["--unshare-user", "--disable-userns", "--cap-drop", "ALL"],
  ...["--uid", String(INSIDE_ID), "--gid", String(INSIDE_ID)],
];

/**
 * Options to run commands as root of the user namespace in which bwrap starts, with the capabilities that
 * installing packages needs. Only the system call filter denies it other namespaces and mounts.
 */
const ROOT = [
  ...["--cap-drop", "ALL"],
  ...["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "SETFCAP", "KILL"].flatMap((name) => [
    "--cap-add",
    `CAP_${name}`,
  ]),
];

/**
 * Options for parts of /proc that no namespace hides: information about the host, and writable settings of
 * the sandbox's own namespaces.
 */
const HIDDEN_PROC = [
  ...["--ro-bind", "/proc/sys", "/proc/sys"],
  ...HIDDEN_FILES.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", "/dev/null", path]),
  ...HIDDEN_DIRECTORIES.filter((path) => existsSync(path)).flatMap((path) => [
    ...["--perms", "0555", "--size", String(MIB), "--tmpfs", path, "--remount-ro", path],
  ]),
];

/**
 * Options that show a sandbox its own control group, read-only, where programs look for the limits of their
 * memory and CPU time. Some kernels let everybody write some files of version 1.
 */
function ownGroups(groups: readonly CgroupView[]): string[] {
  return groups.flatMap(({ directory, names }) => {
    if (names === null) return ["--ro-bind", directory, CGROUPS];
    const joined = names.join(",");
    const links =
      names.length === 1 ? [] : names.flatMap((name) => ["--symlink", joined, `${CGROUPS}/${name}`]);
    return ["--ro-bind", directory, `${CGROUPS}/${joined}`, ...links];
  });
}

/** Returns bwrap's options, which it reads from a descriptor so that no process list shows them. */
export function bwrapArguments(sources: Sources, limits: Limits, asRoot: boolean): string[] {
  // When these filesystems are full, a quarter of the memory is left for processes, enough to delete files.
  const variables = Object.entries({ ...VARIABLES, ...limitVariables(limits) });
  const shareOfMemory = (part: number) => String(Math.max(MIB, Math.floor(limits.memoryBytes / part)));
  return [
    ...(asRoot ? ROOT : AGENT),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--new-session", "--as-pid-1", "--die-with-parent", "--hostname", "session"],
    ...["--clearenv", ...variables.flatMap(([name, value]) => ["--setenv", name, value])],
    ...sources.system,
    ...ownGroups(sources.groups),
    ...["--proc", "/proc", ...HIDDEN_PROC, "--dev", "/dev", "--dev-bind", "/dev/pts", "/dev/pts"],
    ...["--perms", "1777", "--size", shareOfMemory(4), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    // Scripts of packages write and lock files there.
    ...(asRoot ? ["--perms", "0755", "--tmpfs", "/run", "--perms", "1777", "--dir", "/run/lock"] : []),
    ...(sources.gitConfig === null ? [] : ["--ro-bind", sources.gitConfig, "/etc/gitconfig"]),
    // Temporary files must not become part of the changed system, nor stay for the next build.
    ...(asRoot ? ["--perms", "1777", "--size", shareOfMemory(2), "--tmpfs", "/tmp"] : []),
    ...["--ro-bind", sources.programs, PROGRAMS_INSIDE],
    ...["--ro-bind", sources.pipes, PIPES_INSIDE],
    ...sources.writable.flatMap(({ host, inside }) => ["--bind", host, inside]),
    ...["--ro-bind", sources.uploads, UPLOADS_INSIDE],
    ...sources.directories.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...sources.files.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...["--remount-ro", "/", "--chdir", "/"],
  ];
}
