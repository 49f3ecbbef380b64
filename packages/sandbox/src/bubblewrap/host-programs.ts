import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { promisify } from "node:util";
import { SandboxError } from "../sandbox.ts";

const run = promisify(execFile);
const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Absolute path of a program of the host, or null. */
export function findProgram(name: string): string | null {
  for (const directory of `${process.env.PATH ?? ""}:${FALLBACK_PATH}`.split(":")) {
    if (!directory.startsWith("/")) continue;
    try {
      accessSync(`${directory}/${name}`, constants.X_OK);
      return `${directory}/${name}`;
    } catch {}
  }
  return null;
}

/** The host programs that start a sandbox, as absolute paths. */
export interface HostPrograms {
  bash: string;
  bwrap: string;
  nsenter: string;
  prlimit: string;
  setpriv: string;
  mkfifo: string;
  mount: string;
  unshare: string;
  /** Whether the host's `env` restores default signals, which a background job of a shell loses. */
  restoresSignals: boolean;
}

/** Finds all of them, or throws a `SandboxError` that names the package to install. */
export async function findHostPrograms(): Promise<HostPrograms> {
  required("setsid", "util-linux");
  return {
    bash: required("bash", "bash"),
    bwrap: required("bwrap", "bubblewrap"),
    nsenter: required("nsenter", "util-linux"),
    prlimit: required("prlimit", "util-linux"),
    setpriv: required("setpriv", "util-linux"),
    mkfifo: required("mkfifo", "coreutils"),
    mount: required("mount", "mount"),
    unshare: required("unshare", "util-linux"),
    restoresSignals: await run("env", ["--default-signal=INT", "true"]).then(
      () => true,
      () => false,
    ),
  };
}

function required(name: string, provider: string): string {
  const path = findProgram(name);
  if (path === null) throw new SandboxError(`${name} is missing: install the package ${provider}`);
  return path;
}
