import type { Readable, Writable } from "node:stream";
import type { CommandPipes, Slot } from "../commands/pipes.ts";
import { PIPES_INSIDE } from "../inside/environment.ts";
import type { PipeConnection } from "./pipe-connection.ts";

/** Number of slots of one pod. Their pipes are made before its sandbox starts. */
export const SLOTS = 64;

/** Named pipes in a volume that the sandbox and the server beside it share. */
export class PodPipes implements CommandPipes {
  readonly #connection: PipeConnection;
  readonly #free: Slot[] = Array.from({ length: SLOTS }, (_, index) => ({ name: String(index) })).reverse();
  readonly #waiting: ((slot: Slot) => void)[] = [];

  constructor(connection: PipeConnection) {
    this.#connection = connection;
  }

  /** Takes a slot, waiting for one when all are taken. */
  async take(): Promise<Slot> {
    return this.#free.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
  }

  release(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }

  read(slot: Slot): Readable {
    return this.#connection.read(pipePath(slot.name, "out"));
  }

  write(slot: Slot, direction: "in" | "stdin"): Writable {
    return this.#connection.write(pipePath(slot.name, direction));
  }
}

/** Returns the names of all pipes of a pod. Those named `supervisor` belong to process 1. */
export function pipeNames(): string[] {
  const slots = Array.from({ length: SLOTS }, (_, index) => String(index));
  return [
    ...slots.flatMap((name) => ["in", "out", "stdin"].map((direction) => `${name}.${direction}`)),
    "supervisor.in",
    "supervisor.out",
  ];
}

/** Returns the path of a pipe, which is the same in the sandbox and in the container beside it. */
export function pipePath(name: string, direction: "in" | "out" | "stdin"): string {
  return `${PIPES_INSIDE}/${name}.${direction}`;
}
