import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram, requiredProgram } from "../host/find-program.ts";

const run = promisify(execFile);
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
  /** Mounts templates; null where it is missing. */
  perl: string | null;
  /** Whether the host's `env` restores default signals, which a background job of a shell loses. */
  restoresSignals: boolean;
}

/** Finds all of them, or throws a `SandboxError` that names the package to install. */
export async function findHostPrograms(): Promise<HostPrograms> {
  requiredProgram("setsid", "util-linux");
  return {
    bash: requiredProgram("bash", "bash"),
    bwrap: requiredProgram("bwrap", "bubblewrap"),
    nsenter: requiredProgram("nsenter", "util-linux"),
    prlimit: requiredProgram("prlimit", "util-linux"),
    setpriv: requiredProgram("setpriv", "util-linux"),
    mkfifo: requiredProgram("mkfifo", "coreutils"),
    mount: requiredProgram("mount", "mount"),
    unshare: requiredProgram("unshare", "util-linux"),
    perl: findProgram("perl"),
    restoresSignals: await run("env", ["--default-signal=INT", "true"]).then(
      () => true,
      () => false,
    ),
  };
}
