/** An engine's view of a running sandbox, without running a command in it. */
export interface SandboxView {
  /** Process 1, in terms of `SandboxProcess.pid`. */
  readonly init: number;
  /**
   * Returns every descendant of process 1 except zombies. In a PID namespace, no process can leave that tree.
   */
  processes(): Promise<SandboxProcess[]>;
  /** Converts a time of `performance.now` to ticks, as in `SandboxProcess.startTick`. */
  tickAt(moment: number): Promise<number>;
  /** Returns whether the disk accepts no more bytes or no more files. False when that is unknown. */
  isDiskFull(): Promise<boolean>;
  /** See `Sandbox.isUntouched`. */
  isUntouched(directory: string): Promise<boolean>;
}

/** A process of a sandbox, as the engine sees it. */
export interface SandboxProcess {
  /** Pid that is unique in the view. */
  pid: number;
  /** `pid` of its parent process. */
  parent: number;
  /** Pid, and below it the session id, in the sandbox. */
  insidePid: number;
  insideSession: number;
  /** Start time in hundredths of a second after the machine's boot. */
  startTick: number;
  /** Its resource limit for file locks, which is the mark of its command; see `Marks`. NaN for no limit. */
  fileLocks: number;
}
