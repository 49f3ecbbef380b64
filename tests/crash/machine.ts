import { Berth, type BerthOptions } from "../acceptance/harness/berth.ts";
import { childrenOf, commandOf, descendantsOf, signalIfAlive } from "./processes.ts";

/**
 * A service in a pid namespace of its own, as on a machine of its own: the pids in its leases mean nothing to other machines,
 * and nothing of it outlives its first process.
 */
export class Machine {
  #berth: Berth;
  readonly #options: BerthOptions;
  #frozen: number[] = [];

  private constructor(berth: Berth, options: BerthOptions) {
    this.#berth = berth;
    this.#options = options;
  }

  static async start(settings: Record<string, string>, options: BerthOptions = {}): Promise<Machine> {
    const all = { ...options, settings };
    return new Machine(await startAlone(all), all);
  }

  get berth(): Berth {
    return this.#berth;
  }

  /** Ends the service by a signal, and resolves when all its processes are gone. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const [first] = childrenOf(this.#berth.pid);
    if (first === undefined) return;
    process.kill(first, signal);
    // unshare passes no signals on; this one does nothing to it, and it ends with the service.
    await this.#berth.kill("SIGCONT");
  }

  /** Starts the service again, on the same data directory. @param binary of another release. */
  async startAgain(binary?: string): Promise<void> {
    this.#berth = await startAlone({ ...this.#options, dataDir: this.#berth.dataDir, binary });
    await this.#berth.ready();
  }

  get isFrozen(): boolean {
    return this.#frozen.length > 0;
  }

  /** Stops all its processes without their knowledge, as a machine that hangs. */
  freeze(): void {
    const first = this.#first();
    this.#frozen = [first, ...descendantsOf(first)];
    for (const pid of this.#frozen) signalIfAlive(pid, "SIGSTOP");
  }

  /** Lets them continue. */
  thaw(): void {
    for (const pid of this.#frozen.splice(0).toReversed()) signalIfAlive(pid, "SIGCONT");
  }

  /** Kills the process that runs sessions; the service starts another. */
  killRunner(): void {
    const runner = childrenOf(this.#first()).find((pid) => /runner-process/.test(commandOf(pid)));
    if (runner !== undefined) process.kill(runner, "SIGKILL");
  }

  /** Stops the service and removes its data directory. */
  async remove(): Promise<void> {
    this.thaw();
    await this.end("SIGTERM");
    await this.#berth.stop();
  }

  /** The first process of the namespace: the service. */
  #first(): number {
    const [first] = childrenOf(this.#berth.pid);
    if (first === undefined) throw new Error("The machine does not run.");
    return first;
  }
}

/** It ends with this process too, however this one ends. */
async function startAlone(options: BerthOptions): Promise<Berth> {
  const ends = ["setpriv", "--pdeathsig", "KILL"];
  return await Berth.start({
    ...options,
    wrapper: [...ends, "unshare", "--pid", "--fork", "--mount-proc", "--kill-child"],
  });
}
