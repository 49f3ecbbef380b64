import { existsSync } from "node:fs";
import type { Place } from "../../inside/disk.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE } from "../../inside/paths.ts";
import { VARIABLES } from "../../inside/variables.ts";
import type { Limits } from "../../interface/spec.ts";
import { INSIDE_ID } from "../system-layers/root-filesystem.ts";

const MIB = 1024 * 1024;

/** What the sandbox sees of the host, as paths that its uid can reach. */
export interface Sources {
  /** What shows `/usr`, `/etc` and all else of the system. */
  system: readonly string[];
  programs: string;
  pipes: string;
  uploads: string;
  writable: readonly Place[];
  files: readonly Place[];
  directories: readonly Place[];
}

/** Who commands run as: the agent, in a user namespace that bwrap makes, with no capability. */
const AGENT = [
  ...["--unshare-user", "--disable-userns", "--cap-drop", "ALL"],
  ...["--uid", String(INSIDE_ID), "--gid", String(INSIDE_ID)],
];

/**
 * Or the root of the user namespace that bwrap is started in, with what installing packages takes. Other namespaces and mounts
 * are refused by the system call filter alone.
 */
const ROOT = [
  ...["--cap-drop", "ALL"],
  ...["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "SETFCAP", "KILL"].flatMap((name) => [
    "--cap-add",
    `CAP_${name}`,
  ]),
];

/**
 * What /proc has for the agent that no namespace holds back: settings of its own namespaces to change, and the names of keys that
 * the host keeps for its uid.
 */
const CLOSED_OF_PROC = [
  ...["--ro-bind", "/proc/sys", "/proc/sys"],
  ...["/proc/keys", "/proc/key-users"]
    .filter((path) => existsSync(path))
    .flatMap((path) => ["--ro-bind", "/dev/null", path]),
];

/** bwrap's options, handed over on a descriptor so that no process list shows them. */
export function bwrapArguments(sources: Sources, limits: Limits, asRoot: boolean): string[] {
  // Both full leave a quarter for processes: enough to delete what fills them.
  const shareOfMemory = (part: number) => String(Math.max(MIB, Math.floor(limits.memoryBytes / part)));
  return [
    ...(asRoot ? ROOT : AGENT),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--new-session", "--as-pid-1", "--die-with-parent", "--hostname", "session"],
    ...["--clearenv", ...Object.entries(VARIABLES).flatMap(([name, value]) => ["--setenv", name, value])],
    ...sources.system,
    ...["--proc", "/proc", ...CLOSED_OF_PROC, "--dev", "/dev"],
    ...["--perms", "1777", "--size", shareOfMemory(4), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--perms", "1777", "--size", shareOfMemory(2), "--tmpfs", "/tmp"],
    // Scripts of packages lock and write there as they would on a machine.
    ...(asRoot ? ["--perms", "0755", "--tmpfs", "/run", "--perms", "1777", "--dir", "/run/lock"] : []),
    ...["--ro-bind", sources.programs, PROGRAMS_INSIDE],
    ...["--ro-bind", sources.pipes, PIPES_INSIDE],
    ...sources.writable.flatMap(({ host, inside }) => ["--bind", host, inside]),
    ...["--ro-bind", sources.uploads, UPLOADS_INSIDE],
    ...sources.directories.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...sources.files.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...["--remount-ro", "/", "--chdir", "/"],
  ];
}
