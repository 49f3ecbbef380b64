import { rm } from "node:fs/promises";
import type { NetworkNamespace } from "@berth/egress";
import { type LivingParts, LivingSandbox } from "../commands/living-sandbox.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import type { PodDirectories } from "./pod-directories.ts";
import type { PodView } from "./pod-view.ts";
import type { ProcessOne } from "./process-one.ts";

/** Everything of a sandbox that must be released. */
export interface PodSandboxParts extends LivingParts {
  view: PodView;
  network: Pick<NetworkNamespace, "setPolicy" | "watchDenied" | "close">;
  connection: PipeConnection;
  directories: PodDirectories;
  /** Host directory of its own, deleted with it. */
  directory: string;
  processOne: ProcessOne;
  /** @param isEmpty whether no process of it is left. */
  removePod(isEmpty: boolean): Promise<void>;
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

  async refreshDirectory(target: string): Promise<void> {
    const { connection, directories } = this.#parts;
    if (!connection.isGone) await directories.refresh(target, connection);
  }

  /** As `SandboxEngine.diskBytes`. */
  diskBytes(): Promise<number | null> {
    return this.#parts.view.diskBytes();
  }

  /** Process 1 takes all processes of the sandbox with it. Where it does not, the node kills them. */
  protected async release(): Promise<void> {
    const { connection, directory, network, processOne, removePod, released } = this.#parts;
    const isEmpty = await processOne.end();
    const results = await Promise.allSettled([
      removePod(isEmpty),
      network.close(),
      rm(directory, { recursive: true, force: true }),
    ]);
    connection.close();
    const failed = results.find((result) => result.status === "rejected");
    released(failed === undefined);
    if (failed) throw failed.reason;
  }
}
