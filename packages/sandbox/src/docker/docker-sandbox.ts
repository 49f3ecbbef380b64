import { rm } from "node:fs/promises";
import type { Socket } from "node:net";
import type { NetworkNamespace } from "@berth/egress";
import { type LivingDeps, LivingSandbox } from "../commands/living-sandbox.ts";

/** The parts of a sandbox, all of which must be released. */
export interface DockerSandboxDeps extends LivingDeps {
  stream: Socket;
  network: NetworkNamespace;
  /** Host directory of this sandbox, outside the disk, deleted with it. */
  directory: string;
  /** Kills and removes the container. */
  removeContainer(): Promise<void>;
  /** Called when everything has been released; `whole` is false when some part could not be. */
  released(whole: boolean): void;
}

/** A running container. It ends when its attached stream ends. */
export class DockerSandbox extends LivingSandbox {
  readonly #deps: DockerSandboxDeps;

  constructor(deps: DockerSandboxDeps) {
    super(deps);
    this.#deps = deps;
    deps.stream.once("close", () => this.close().catch(() => {}));
    if (deps.stream.destroyed) this.close().catch(() => {});
  }

  /** Removes the container; the container engine kills all processes in its control group. */
  protected async release(): Promise<void> {
    const { stream, network, directory, removeContainer, released } = this.#deps;
    const removed = await Promise.allSettled([removeContainer(), network.close()]);
    stream.destroy();
    // Retried, since pipes may be created in it at the same time.
    const emptied = rm(directory, { recursive: true, force: true, maxRetries: 8, retryDelay: 10 });
    const results = [...removed, ...(await Promise.allSettled([emptied]))];
    const failed = results.find((result) => result.status === "rejected");
    released(failed === undefined);
    if (failed) throw failed.reason;
  }
}
