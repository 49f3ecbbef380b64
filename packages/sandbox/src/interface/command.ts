import type { EgressDenied } from "@berth/egress";

export interface Command {
  /** Shell text; `/bin/sh` unless `shell` is given. */
  script: string;
  /**
   * Name of a bash, `[A-Za-z0-9_-]{1,64}`, that lives between commands and keeps its working directory, variables and functions.
   * Absent: a new shell for this command alone.
   *
   * Its directory, exported variables, functions, aliases, options and umask are also on the disk after each command. After a
   * timeout, an abort or the end of the sandbox, the next command with the name gets a new bash with them, in a later sandbox on
   * the same disk, too; the output then begins with one line about what did not come back, if anything did not, and does so again
   * with each new bash until `noteTold`. `exit` in the script ends the bash (the exit code is the result): the next one only begins
   * in its directory.
   */
  shell?: string;
  /**
   * Runs in a copy of the shell, as the commands before left it, beside the commands after it: nothing that it changes comes back.
   * Default false. Only with `shell`.
   */
  aside?: boolean;
  /** Default `/data`. With `shell`, it applies only where a new bash starts of which nothing is on the disk. */
  cwd?: string;
  /**
   * Exported before the command runs, also in a living bash, so that it sees a rotated token, and unset after it: they are not
   * on the disk, and no later command has them that is not given them.
   */
  environment?: Readonly<Record<string, string>>;
  /** Secrets that the command may know. What contains one does not go to the disk with the rest of a named shell. */
  secrets?: readonly string[];
  /** Bytes on standard input. Default: `/dev/null`. */
  stdin?: Uint8Array;
  /** The same as a stream, which is read no faster than the command reads. If it fails, standard input ends there. */
  stdinStream?: AsyncIterable<Uint8Array>;
  /** Milliseconds of wall clock, after which everything that the command started is killed. */
  timeoutMs: number;
  /** Bytes of output to return, standard output and error together: the head and the tail of it. Default 102,400. */
  maxOutputBytes?: number;
  /** Keeps up to 256 MiB of output in a file of the sandbox when it exceeds `maxOutputBytes`; see `CommandResult.outputFile`. */
  keepOutput?: boolean;
  /**
   * Called with standard output and error as they arrive, interleaved. A promise that it returns, which never rejects, holds the rest
   * of the output up, and so the command, until it resolves.
   */
  onOutput?: (chunk: Uint8Array) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Null when the command did not end by itself. 128 + n after signal n, as in shells. */
  exitCode: number | null;
  ended: "exit" | "timeout" | "aborted" | "closed";
  /** Standard output and error, interleaved as the command wrote them. Too long, it is cut in the middle, between lines. */
  output: Uint8Array;
  /** Bytes that the cut left out. */
  omittedBytes: number;
  /** Where in `output` the cut is, in bytes. Absent without one. */
  cutAt?: number;
  /** Path in the sandbox of the output, when it was cut and `keepOutput` was set. Null when it could not be kept: the disk is full. */
  outputFile: string | null;
  /** Working directory of the named shell after the command; null without one, and for a command that ran aside. */
  cwd: string | null;
  /**
   * A limit of the sandbox was met during the command: a process was killed for memory, none could be started, or the disk is
   * full (only for a command that failed). Absent when none was, and where the engine cannot tell.
   */
  limit?: "memory" | "processes" | "disk";
  /**
   * What was denied on the network during the command, each host once; also to processes beside it, since the network belongs
   * to the sandbox. Absent when nothing was.
   */
  denied?: readonly EgressDenied[];
  /** Processes that the command had left running were killed, since they left no room for another process. */
  cleared?: true;
}
