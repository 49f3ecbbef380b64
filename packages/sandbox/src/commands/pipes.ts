import type { Readable, Writable } from "node:stream";

/** The three pipes of one command: what its shell reads (`in`), what it writes (`out`), what it reads (`stdin`). */
export interface Slot {
  /** Of the named pipes in the sandbox: `NAME.in`, `NAME.out`, `NAME.stdin`. */
  readonly name: string;
}

/** A slot whose output is read. */
export interface OpenSlot {
  slot: Slot;
  output: Readable;
  /** What its shell reads, where that is open as well. */
  input?: Writable;
}

/**
 * The pipes between the service and one sandbox. A slot is reused when its command and every process that held its output have
 * ended.
 */
export interface CommandPipes {
  take(): Promise<Slot>;
  release(slot: Slot): void;
  /** The stream ends when every writer has closed the pipe, and not before the first has opened it. */
  read(slot: Slot): Readable;
  /**
   * Can be written before a reader has opened the pipe. Bytes are lost when it is closed before: end it only after the shell has
   * reported that it runs.
   */
  write(slot: Slot, direction: "in" | "stdin"): Writable;
}
