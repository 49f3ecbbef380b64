import { oomKills } from "@berth/linux";

/** Maximum number of crashes remembered. Each is counted when the next process begins. */
const MAX_CRASHES = 8;

/**
 * Records the pids of processes that ended by their own fault: an uncaught error, a fault of the runtime, or
 * lack of memory. Processes that were killed or asked to end are not recorded.
 */
export class Crashes {
  readonly #oomKills: () => number;
  #pids: number[] = [];
  #kills: number;

  /**
   * @param kills Returns how many processes the kernel has killed for lack of memory. Default: its own count.
   */
  constructor(kills: () => number = oomKills) {
    this.#oomKills = kills;
    this.#kills = kills();
  }

  exited({ pid, signal }: { pid: number | undefined; signal: NodeJS.Signals | null }): void {
    const kills = this.#oomKills();
    const lackedMemory = signal === "SIGKILL" && kills > this.#kills;
    this.#kills = kills;
    const isAsked = signal === "SIGKILL" || signal === "SIGTERM" || signal === "SIGINT";
    if (pid !== undefined && (!isAsked || lackedMemory))
      this.#pids = [...this.#pids, pid].slice(-MAX_CRASHES);
  }

  get pids(): readonly number[] {
    return this.#pids;
  }
}
