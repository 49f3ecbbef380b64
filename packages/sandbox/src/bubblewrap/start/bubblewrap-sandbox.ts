import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { NetworkNamespace } from "@berth/egress";
import { type LivingDeps, LivingSandbox } from "../../commands/living-sandbox.ts";
import type { Cgroup } from "../../host/cgroup/cgroups.ts";

const EXIT_TIMEOUT_MS = 1000;

/** The parts of a sandbox, all of which must be released. */
export interface SandboxDeps extends LivingDeps {
  child: ChildProcess;
  cgroup: Cgroup;
  network: NetworkNamespace;
  /** Host directory of this sandbox, outside the disk, deleted with it. */
  directory: string;
  /** Called when everything has been released; `whole` is false when some part could not be. */
  released(whole: boolean): void;
}

/** A running sandbox. It ends when bwrap ends. */
export class BubblewrapSandbox extends LivingSandbox {
  readonly #deps: SandboxDeps;

  constructor(deps: SandboxDeps) {
    super(deps);
    this.#deps = deps;
    deps.child.once("exit", () => this.close().catch(() => {}));
    if (hasExited(deps.child)) this.close().catch(() => {});
  }

  /**
   * Kills bwrap, and with it process 1 and the whole PID namespace; then what is left in its control groups.
   */
  protected async release(): Promise<void> {
    const { child, cgroup, network, directory } = this.#deps;
    const exited = new Promise<void>((resolve) => {
      if (hasExited(child)) resolve();
      else child.once("exit", () => resolve());
    });
    await cgroup.liftCpuLimit();
    child.kill("SIGKILL");
    const timer = new AbortController();
    await Promise.race([exited, delay(EXIT_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    for (const stream of child.stdio) stream?.destroy();
    const results = await Promise.allSettled([
      cgroup.destroy(),
      network.close(),
      // Retried, since pipes may be created in it at the same time.
      rm(directory, { recursive: true, force: true, maxRetries: 8, retryDelay: 10 }),
    ]);
    const failed = results.find((result) => result.status === "rejected");
    this.#deps.released(failed === undefined);
    if (failed) throw failed.reason;
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
