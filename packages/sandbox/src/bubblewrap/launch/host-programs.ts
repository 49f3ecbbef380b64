import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { requiredProgram } from "../../host/required-program.ts";

const run = promisify(execFile);

/** The host programs that start a sandbox, as absolute paths. */
export interface HostPrograms {
  bwrap: string;
  mkfifo: string;
  /**
   * Path of perl, which runs `launch.pl` and `mount-helper.pl`; no other program makes their system calls.
   */
  perl: string;
  /** Whether the host's `env` has `--default-signal`; see `supervisor.sh`. */
  restoresSignals: boolean;
}

/** Finds all programs. Throws a `SandboxError` that names the package to install when one is missing. */
export async function findHostPrograms(): Promise<HostPrograms> {
  requiredProgram("setsid", "util-linux");
  return {
    bwrap: requiredProgram("bwrap", "bubblewrap"),
    mkfifo: requiredProgram("mkfifo", "coreutils"),
    perl: requiredProgram("perl", "perl-base"),
    restoresSignals: await run("env", ["--default-signal=INT", "true"]).then(
      () => true,
      () => false,
    ),
  };
}
