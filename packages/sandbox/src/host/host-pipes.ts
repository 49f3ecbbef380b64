import { execFile } from "node:child_process";
import { chownSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";
import type { CommandPipes, Slot } from "../commands/pipes.ts";

const run = promisify(execFile);
const BATCH = 4;

type Direction = "in" | "out" | "stdin";

/**
 * Named pipes in a host directory that the sandbox sees read-only. Node's own pipes are sockets, which a
 * process cannot open through `/dev/stderr`.
 */
export class HostPipes implements CommandPipes {
  readonly #directory: string;
  readonly #uid: number | null;
  readonly #mkfifo: string;
  #free: Slot[] = [];
  #made = 0;
  #making: Promise<void> | null = null;

  /**
   * @param uid Owner of the pipes; null when this process cannot change owners.
   * @param made Number of slots whose pipes exist already; see `pipePaths`.
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

  /** Makes more slots, by one process. */
  async make(): Promise<void> {
    const made = slots(this.#made, BATCH);
    this.#made += BATCH;
    const paths = pathsOf(this.#directory, made);
    await run(this.#mkfifo, ["-m", "600", ...paths]);
    if (this.#uid !== null) for (const path of paths) chownSync(path, this.#uid, this.#uid);
    this.#free.push(...made.reverse());
  }

  read(slot: Slot): Socket {
    const fd = openSync(this.#path(slot, "out"), constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  }

  /** Opens the pipe for both directions, so that opening does not wait for a reader. */
  write(slot: Slot, direction: "in" | "stdin"): Socket {
    const fd = openSync(this.#path(slot, direction), constants.O_RDWR | constants.O_NONBLOCK);
    return new Socket({ fd, readable: false, writable: true });
  }

  #path(slot: Slot, direction: Direction): string {
    return path(this.#directory, slot, direction);
  }
}

/** Returns the paths of the first slots' pipes, which the caller must make with mode 600. */
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
