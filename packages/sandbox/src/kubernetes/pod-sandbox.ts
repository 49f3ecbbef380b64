import { rm } from "node:fs/promises";
import { type LivingParts, LivingSandbox } from "../commands/living-sandbox.ts";
import type { PipeConnection } from "./pipe-connection.ts";

/** Everything of a sandbox that must be released. */
export interface PodSandboxParts extends LivingParts {
  connection: PipeConnection;
  /** Host directory of its own, deleted with it. */
  directory: string;
  removePod(): Promise<void>;
  /** Called when all has been released; `whole` is false when something could not be. */
  released(whole: boolean): void;
}

/** A running pod; it ends when the connection to it does. */
export class PodSandbox extends LivingSandbox {
  readonly #parts: PodSandboxParts;

  constructor(parts: PodSandboxParts) {
    super(parts);
    this.#parts = parts;
    void parts.connection.closed.then(() => this.close().catch(() => {}));
  }

  protected async release(): Promise<void> {
    const { connection, directory, removePod, released } = this.#parts;
    connection.close();
    const results = await Promise.allSettled([removePod(), rm(directory, { recursive: true, force: true })]);
    const failed = results.find((result) => result.status === "rejected");
    released(failed === undefined);
    if (failed) throw failed.reason;
  }
}
