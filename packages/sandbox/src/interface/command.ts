import type { EgressDenied } from "@berth/egress";

/** A command to run in a sandbox. */
export interface Command {
  /** Shell text, for `/bin/sh` unless `shell` is given. */
  script: string;
  /**
   * Name of a bash, `[A-Za-z0-9_-]{1,64}`, that lives between commands and keeps its working directory,
   * variables and functions. Absent for a new shell that runs only this command.
   *
   * After each command, the bash's directory, exported variables, functions, aliases, options and umask are
   * saved to the disk. After a timeout, an abort or the end of the sandbox, the next command with the name
   * starts a new bash, which restores them. This also works in a later sandbox on the same disk. When
   * something could not be restored, the output begins with one line about that. Each new bash repeats the
   * line until `noteTold`.
   *
   * `exit` in the script ends the bash, with the exit code as the result; the next bash starts only with its
   * directory.
   */
  shell?: string;
  /**
   * Runs the command in a copy of the shell, in the state that earlier commands left, concurrently with later
   * commands. Its changes are lost. Only with `shell`. Default: false.
   */
  aside?: boolean;
  /** Working directory. Default: `/data`. With `shell`, it applies only to a new bash without saved state. */
  cwd?: string;
  /**
   * Variables that are exported before the command, also in a running bash, so that it sees a rotated token.
   * They are unset afterwards: they are never saved to the disk, and later commands do not have them.
   */
  environment?: Readonly<Record<string, string>>;
  /** Secrets that the command may know. State of a named shell that contains one is not saved to the disk. */
  secrets?: readonly string[];
  /** Bytes on standard input. Default: `/dev/null`. */
  stdin?: Uint8Array;
  /**
   * Standard input as a stream, which is read no faster than the command reads. If it fails, standard input
   * ends there.
   */
  stdinStream?: AsyncIterable<Uint8Array>;
  /** Wall clock milliseconds after which everything that the command started is killed. */
  timeoutMs: number;
  /**
   * Maximum bytes of output to return, standard output and error together: its head and its tail. Default:
   * 102,400.
   */
  maxOutputBytes?: number;
  /**
   * Keeps up to 256 MiB of output in a file of the sandbox when it exceeds `maxOutputBytes`; see
   * `CommandResult.outputFile`.
   */
  keepOutput?: boolean;
  /**
   * Called with standard output and error as they arrive, interleaved. If it returns a promise, further
   * output, and so the command, waits until that resolves. The promise must not reject.
   */
  onOutput?: (chunk: Uint8Array) => void | Promise<void>;
  signal?: AbortSignal;
}

/** The result of a command. Its output is untrusted. */
export interface CommandResult {
  /**
   * Exit code, which is 128 + n after signal n, as in shells. Null when the command did not end by itself.
   */
  exitCode: number | null;
  ended: "exit" | "timeout" | "aborted" | "closed";
  /**
   * Standard output and error, interleaved as the command wrote them. When too long, it is cut in the middle,
   * between lines.
   */
  output: Uint8Array;
  /** Number of bytes that the cut left out. */
  omittedBytes: number;
  /** Offset in bytes of the cut in `output`. Absent when nothing was cut. */
  cutAt?: number;
  /**
   * Path in the sandbox of the whole output, when it was cut and `keepOutput` was set. Null otherwise, and
   * when the disk was too full to keep it.
   */
  outputFile: string | null;
  /**
   * Working directory of the named shell after the command; null for other shells, and for a command with
   * `aside`.
   */
  cwd: string | null;
  /**
   * The sandbox's limit that was hit during the command. A process was killed for memory, none could be
   * started, or the disk is full (reported only for a failed command). Absent when none was hit, and when the
   * engine cannot tell.
   */
  limit?: "memory" | "processes" | "disk";
  /**
   * Hosts that were denied on the network during the command, each once. This includes denials of concurrent
   * processes, since the network belongs to the sandbox. Absent when nothing was denied.
   */
  denied?: readonly EgressDenied[];
  /**
   * Set when processes that the command had left were killed, since they left no room for another process.
   */
  cleared?: true;
}
