import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { PipeConnection } from "./pipe-connection.ts";
import { pipePath } from "./pod-pipes.ts";

const END_TIMEOUT_MS = 1_000;

/** The pipes of a sandbox's process 1. */
export class ProcessOne {
  readonly input: Writable;
  readonly output: Readable;
  readonly #connection: PipeConnection;
  readonly #noWriter = Promise.withResolvers<boolean>();

  constructor(connection: PipeConnection) {
    this.#connection = connection;
    this.output = connection.read(pipePath("supervisor", "out"));
    this.input = connection.write(pipePath("supervisor", "in"));
    this.output.once("end", () => this.#noWriter.resolve(!connection.isGone));
    this.output.once("close", () => this.#noWriter.resolve(false));
  }

  /**
   * Ends process 1, and with it every process of the sandbox.
   *
   * @returns true when no process is left, because the last one has closed the pipe. False when that is
   * unknown after a second.
   */
  async end(): Promise<boolean> {
    if (this.#connection.isGone) return false;
    this.input.write("0 end\n");
    this.output.resume();
    return await Promise.race([this.#noWriter.promise, delay(END_TIMEOUT_MS, false, { ref: false })]);
  }
}
