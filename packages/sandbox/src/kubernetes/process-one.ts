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
   * Lets process 1 end, and with it every process of the sandbox.
   *
   * @returns whether it is known that none is left: the last process that had the pipe has closed it.
   */
  async end(): Promise<boolean> {
    if (this.#connection.isGone) return false;
    this.input.write("0 end\n");
    this.output.resume();
    return await Promise.race([this.#noWriter.promise, delay(END_TIMEOUT_MS, false, { ref: false })]);
  }
}
