import { oomKills } from "@berth/linux";

/** How many crashes are remembered. Each is counted when the next process begins. */
const MAX_CRASHES = 8;

/**
 * Which processes ended by what they did, by pid: an error that nobody caught, a fault of the runtime, or want of memory. One that was killed or
 * asked to end did not.
 */
export class Crashes {
  readonly #oomKills: () => number;
  #pids: number[] = [];
  #kills: number;

  /** @param kills how many processes the kernel has killed for want of memory. Default: as the kernel tells. */
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
