import { rm } from "node:fs/promises";
import { type LivingDeps, LivingSandbox } from "../commands/living-sandbox.ts";
import { closedResult } from "../commands/named-shell.ts";
import type { Command, CommandResult } from "../interface/command.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import type { PodDirectories } from "./pod-directories.ts";
import type { OpenPodNetwork } from "./pod-network.ts";
import type { PodView } from "./pod-view.ts";
import type { ProcessOne } from "./process-one.ts";

/** The parts of a sandbox, all of which must be released. */
export interface PodSandboxDeps extends LivingDeps {
  /** See `Sandbox.wasThere`. */
  wasThere: boolean;
  view: PodView;
  network: OpenPodNetwork;
  connection: PipeConnection;
  directories: PodDirectories;
  /** Host directory of this sandbox, deleted with it. */
  directory: string;
  processOne: ProcessOne;
  /** @param isEmpty Whether no process of the pod is left. */
  removePod(isEmpty: boolean): Promise<void>;
  log(line: object): void;
  /** Called when everything has been released; `whole` is false when some part could not be. */
  released(whole: boolean): void;
}

/** A running pod. It ends when the connection to it, or its network, ends. */
export class PodSandbox extends LivingSandbox {
  readonly wasThere: boolean;
  readonly #deps: PodSandboxDeps;
  #isLeft = false;

  constructor(deps: PodSandboxDeps) {
    super(deps);
    this.#deps = deps;
    this.wasThere = deps.wasThere;
    void deps.connection.closed.then((why) => this.#lose("pipes", why));
    void deps.network.ended.then((why) => this.#lose("egress", why));
  }

  async refreshDirectory(target: string): Promise<void> {
    const { connection, directories } = this.#deps;
    if (!connection.isGone) await directories.refresh(target, connection);
  }

  /** Waits first, so that policies which were set before apply to the command. */
  override async run(command: Command): Promise<CommandResult> {
    await this.#deps.network.settled();
    return await super.run(command);
  }

  override runTogether(commands: readonly Command[]): Promise<CommandResult>[] {
    const running = this.#deps.network.settled().then(() => super.runTogether(commands));
    return commands.map(async (_, index) => await ((await running)[index] ?? closedResult()));
  }

  /** See `SandboxEngine.diskBytes`. */
  diskBytes(): Promise<number | null> {
    return this.#deps.view.diskBytes();
  }

  /** Ends the sandbox, since a part of its pod has ended. */
  async #lose(part: string, why: string): Promise<void> {
    if (!this.isEnding)
      this.#deps.log({ msg: `a sandbox ends with the ${part} of its pod`, sandbox: this.id, error: why });
    await this.close().catch(() => {});
  }

  async leave(): Promise<void> {
    this.#isLeft = true;
    await this.close();
  }

  /**
   * Ends process 1, which takes all processes of the sandbox with it. If it fails to, the node kills them.
   */
  protected async release(): Promise<void> {
    const { connection, directory, network, processOne, removePod, released } = this.#deps;
    const isEmpty = this.#isLeft ? null : await processOne.end();
    const results = await Promise.allSettled([
      isEmpty === null ? undefined : removePod(isEmpty),
      network.close(),
      rm(directory, { recursive: true, force: true }),
    ]);
    connection.close();
    const failed = results.find((result) => result.status === "rejected");
    released(failed === undefined);
    if (failed) throw failed.reason;
  }
}
