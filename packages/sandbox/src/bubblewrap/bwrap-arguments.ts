import { PIPES_INSIDE } from "../commands/pipes.ts";
import type { Limits } from "../sandbox.ts";
import type { Place } from "./disk.ts";
import { BUNDLE, INSIDE_ID } from "./root-filesystem.ts";

export const PROGRAMS_INSIDE = "/opt/berth/bin";
export const UPLOADS_INSIDE = "/mnt/session/uploads";

const MIB = 1024 * 1024;

/** Variables of every command. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: `${PROGRAMS_INSIDE}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  HOME: "/home/agent",
  USER: "agent",
  LOGNAME: "agent",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TZ: "UTC",
  SSL_CERT_FILE: BUNDLE,
  NODE_EXTRA_CA_CERTS: BUNDLE,
  REQUESTS_CA_BUNDLE: BUNDLE,
};

/** What the sandbox sees of the host, as paths that its uid can reach. */
export interface Sources {
  /** From `systemArguments`. */
  system: readonly string[];
  etc: string;
  programs: string;
  pipes: string;
  uploads: string;
  writable: readonly Place[];
  files: readonly Place[];
  directories: readonly Place[];
}

/** bwrap's options, handed over on a descriptor so that no process list shows them. */
export function bwrapArguments(sources: Sources, limits: Limits): string[] {
  const memory = Math.max(MIB, Math.floor(limits.memoryBytes / 2));
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--disable-userns", "--cap-drop", "ALL", "--new-session", "--as-pid-1", "--die-with-parent"],
    ...["--uid", String(INSIDE_ID), "--gid", String(INSIDE_ID), "--hostname", "session"],
    ...["--clearenv", ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value])],
    ...sources.system,
    ...["--ro-bind", sources.etc, "/etc"],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--perms", "1777", "--size", String(memory), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--perms", "1777", "--size", String(memory), "--tmpfs", "/tmp"],
    ...["--ro-bind", sources.programs, PROGRAMS_INSIDE],
    ...["--ro-bind", sources.pipes, PIPES_INSIDE],
    ...sources.writable.flatMap(({ host, inside }) => ["--bind", host, inside]),
    ...["--ro-bind", sources.uploads, UPLOADS_INSIDE],
    ...sources.directories.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...sources.files.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    ...["--remount-ro", "/", "--chdir", "/"],
  ];
}
