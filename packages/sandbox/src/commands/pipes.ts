import type { Readable, Writable } from "node:stream";

/**
 * The three pipes of one command: the shell's input (`in`), the output (`out`), and the command's standard
 * input (`stdin`).
 */
export interface Slot {
  /** Prefix of the named pipes in the sandbox: `NAME.in`, `NAME.out`, `NAME.stdin`. */
  readonly name: string;
}

/** A slot whose output is being read. */
export interface OpenSlot {
  slot: Slot;
  output: Readable;
  /** The shell's input, when it is open as well. */
  input?: Writable;
}

/**
 * The pipes between the service and one sandbox. A slot is reused when its command, and every process that
 * had its output open, have ended.
 */
export interface CommandPipes {
  take(): Promise<Slot>;
  release(slot: Slot): void;
  /**
   * Reads the output. The stream ends when every writer has closed the pipe, but not before the first has
   * opened it.
   */
  read(slot: Slot): Readable;
  /**
   * Returns a stream that can be written before a reader has opened the pipe. Bytes are lost when it is
   * closed before that, so end it only after the shell has reported that it runs.
   */
  write(slot: Slot, direction: "in" | "stdin"): Writable;
}
