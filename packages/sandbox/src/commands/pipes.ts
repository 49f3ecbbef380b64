import { execFile } from "node:child_process";
import { chownSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);
const BATCH = 4;

/** Three named pipes that one command uses: what the shell reads, what the command writes, what it reads. */
export interface Slot {
  readonly name: string;
}

export type Direction = "in" | "out" | "stdin";

/**
 * The named pipes between the server and one sandbox, in a host directory that the sandbox sees read-only.
 * Real pipes, because Node's own are sockets, which a process inside cannot open through `/dev/stderr`.
 * A slot is reused when its command and everything that held its output are gone.
 */
export class Pipes {
  readonly #directory: string;
  readonly #uid: number | null;
  readonly #mkfifo: string;
  #free: Slot[] = [];
  #made = 0;
  #making: Promise<void> | null = null;

  /**
   * @param uid Owner of the pipes, null where this process cannot give files away.
   * @param made How many slots have their pipes already; see `pipePaths`.
   */
  constructor(directory: string, uid: number | null, mkfifo: string, made = 0) {
    this.#directory = directory;
    this.#uid = uid;
    this.#mkfifo = mkfifo;
    this.#made = made;
    this.#free = slots(0, made).reverse();
  }

  async take(): Promise<Slot> {
    for (;;) {
      const slot = this.#free.pop();
      if (slot) return slot;
      this.#making ??= this.make().finally(() => {
        this.#making = null;
      });
      await this.#making;
    }
  }

  release(slot: Slot): void {
    this.#free.push(slot);
  }

  /** Makes some more, in one process. */
  async make(): Promise<void> {
    const made = slots(this.#made, BATCH);
    this.#made += BATCH;
    const paths = pathsOf(this.#directory, made);
    await run(this.#mkfifo, ["-m", "600", ...paths]);
    if (this.#uid !== null) for (const path of paths) chownSync(path, this.#uid, this.#uid);
    this.#free.push(...made.reverse());
  }

  /** Ends when every writer inside has closed its end, and not before the first has opened it. */
  read(slot: Slot): Socket {
    const fd = openSync(this.#path(slot, "out"), constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  }

  /**
   * Opened for both directions, so that opening waits for no reader. Bytes are lost when it is closed before a
   * reader has opened the pipe: end it only after the shell has told that it stands.
   */
  write(slot: Slot, direction: "in" | "stdin"): Socket {
    const fd = openSync(this.#path(slot, direction), constants.O_RDWR | constants.O_NONBLOCK);
    return new Socket({ fd, readable: false, writable: true });
  }

  #path(slot: Slot, direction: Direction): string {
    return path(this.#directory, slot, direction);
  }
}

/** The pipes of the first slots, for somebody else to make: of the owner's alone, mode 600. */
export function pipePaths(directory: string, count: number): string[] {
  return pathsOf(directory, slots(0, count));
}

function slots(first: number, count: number): Slot[] {
  return Array.from({ length: count }, (_, index) => ({ name: String(first + index) }));
}

function pathsOf(directory: string, slots: readonly Slot[]): string[] {
  return slots.flatMap((slot) =>
    (["in", "out", "stdin"] as const).map((direction) => path(directory, slot, direction)),
  );
}

function path(directory: string, slot: Slot, direction: Direction): string {
  return `${directory}/${slot.name}.${direction}`;
}
