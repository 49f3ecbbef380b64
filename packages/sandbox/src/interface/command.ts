import type { EgressDenied } from "@berth/egress";

export interface Command {
  /** Shell text; `/bin/sh` unless `shell` is given. */
  script: string;
  /**
   * Name of a bash that lives between commands: working directory, variables and functions stay. `exit` in the
   * script ends it (the exit code is the result), a timeout or an abort kills it; the next command with the name
   * gets a new one in the last known working directory. Absent: a fresh shell for this command alone.
   */
  shell?: string;
  /** Default `/data`; with `shell`, only where a new shell starts. */
  cwd?: string;
  /**
   * Set for this command, and exported in a living shell before it runs, so that a rotated token is seen. What the
   * command before was given and this one is not is taken out of the shell.
   */
  environment?: Readonly<Record<string, string>>;
  /** Bytes on standard input; else it is `/dev/null`. */
  stdin?: Uint8Array;
  /** Milliseconds of wall clock; then everything that the command started is killed. */
  timeoutMs: number;
  /** Bytes of output that come back, shared by standard output and error: the head and the tail of it. Default 102,400. */
  maxOutputBytes?: number;
  /** Keep the output, up to 256 MiB of it, in a file inside when it outgrows `maxOutputBytes`; `CommandResult.outputFile` names it. */
  keepOutput?: boolean;
  /** Standard output and error as they come, interleaved; for progress. Never awaited. */
  onOutput?: (chunk: Uint8Array) => void;
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Null when the command did not end by itself. 128 + n after signal n, as shells tell it. */
  exitCode: number | null;
  ended: "exit" | "timeout" | "aborted" | "closed";
  /** Standard output and error, interleaved as the command wrote them, cut in the middle at a line when too long. */
  output: Uint8Array;
  /** Bytes that the cut left out. */
  omittedBytes: number;
  /** Path inside of the output, when it was cut and `keepOutput` was set. Null when it could not be kept, as on a full disk. */
  outputFile: string | null;
  /** Working directory of the named shell after the command; null without one. */
  cwd: string | null;
  /**
   * The sandbox met a limit while it ran: a process was killed for memory, none could be started, or the disk is full (told
   * only of a command that failed). Absent when none was met, and where the engine cannot tell.
   */
  limit?: "memory" | "processes" | "disk";
  /**
   * What was refused on the network while it ran, each host once, also to what ran beside it: the network is the sandbox's. Absent
   * when nothing was.
   */
  denied?: readonly EgressDenied[];
  /** What had been left running was stopped, since it left no room for another process. */
  cleared?: true;
}
