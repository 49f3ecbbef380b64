import { Berth, type BerthOptions } from "../acceptance/harness/berth.ts";
import { childrenOf, commandOf, descendantsOf, signalIfAlive } from "./processes.ts";

/**
 * A service in its own PID namespace, as on a separate machine. The pids in its leases mean nothing to other
 * machines, and none of its processes outlives its first one.
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

  /** Sends a signal to the service, and resolves when all its processes have ended. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const [first] = childrenOf(this.#berth.pid);
    if (first === undefined) return;
    process.kill(first, signal);
    // unshare forwards no signals. SIGCONT has no effect on it, and it ends with the service.
    await this.#berth.kill("SIGCONT");
  }

  /**
   * Starts the service again on the same data directory. @param binary the command line of another release.
   */
  async startAgain(binary?: string): Promise<void> {
    this.#berth = await startAlone({ ...this.#options, dataDir: this.#berth.dataDir, binary });
    await this.#berth.ready();
  }

  get isFrozen(): boolean {
    return this.#frozen.length > 0;
  }

  /** Stops all its processes without their knowledge, like a machine that hangs. */
  freeze(): void {
    const first = this.#first();
    this.#frozen = [first, ...descendantsOf(first)];
    for (const pid of this.#frozen) signalIfAlive(pid, "SIGSTOP");
  }

  /** Lets the stopped processes continue. */
  thaw(): void {
    for (const pid of this.#frozen.splice(0).toReversed()) signalIfAlive(pid, "SIGCONT");
  }

  /** Kills the runner process; the service starts another one. */
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

  /** Returns the first process of the namespace, which is the service. */
  #first(): number {
    const [first] = childrenOf(this.#berth.pid);
    if (first === undefined) throw new Error("The machine does not run.");
    return first;
  }
}

/** Starts a service that is killed when this process ends, however it ends. */
async function startAlone(options: BerthOptions): Promise<Berth> {
  const ends = ["setpriv", "--pdeathsig", "KILL"];
  return await Berth.start({
    ...options,
    wrapper: [...ends, "unshare", "--pid", "--fork", "--mount-proc", "--kill-child"],
  });
}
