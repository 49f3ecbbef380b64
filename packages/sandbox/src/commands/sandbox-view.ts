/** What an engine sees of a running sandbox without a command of the agent's. */
export interface SandboxView {
  /** Process 1, as `SandboxProcess.pid`. */
  readonly init: number;
  /** Every descendant of process 1 but zombies. In a pid namespace no process leaves that tree. */
  processes(): Promise<SandboxProcess[]>;
  /** Converts a time of `performance.now` to ticks as in `SandboxProcess.startTick`. */
  tickAt(moment: number): Promise<number>;
  /** Whether the disk takes no more bytes, or no more files. False where that cannot be told. */
  isDiskFull(): Promise<boolean>;
  /** As `Sandbox.isUntouched`. */
  isUntouched(directory: string): Promise<boolean>;
}

export interface SandboxProcess {
  /** Unique among those of the view. */
  pid: number;
  /** `pid` of the process that it is a child of. */
  parent: number;
  /** Pid and session in the sandbox. */
  insidePid: number;
  insideSession: number;
  /** Hundredths of a second after the machine's boot. */
  startTick: number;
  /** Its resource limit for file locks, which is the mark of its command; see `Marks`. NaN: none. */
  fileLocks: number;
}
