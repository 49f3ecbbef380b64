import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "../../crash/machine.ts";
import { isAlive } from "../../crash/processes.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const MACHINES = 3;

export interface ClusterOptions {
  /** The cluster's directory, with its secret key and a data directory for each machine. */
  directory: string;
  /** Settings of all machines, as `BERTH_…`. `BERTH_DATABASE_URL` and `BERTH_BLOBS` are required. */
  settings: Record<string, string>;
  /** The number of machines that serve the API; 3 by default. */
  apis?: number;
  /** The number of machines that run sessions; 3 by default. */
  runners?: number;
  /** Called with the text that the machines write to stderr. */
  log?: (text: string) => void;
}

/** API machines behind a balancer, and machines that run sessions, each in its own PID namespace. */
export class Cluster {
  readonly apis: readonly Machine[];
  readonly runners: readonly Machine[];
  readonly #balancer: Balancer;

  private constructor(apis: readonly Machine[], runners: readonly Machine[], balancer: Balancer) {
    this.apis = apis;
    this.runners = runners;
    this.#balancer = balancer;
  }

  /**
   * Resolves when each machine listens. The first one starts before the others, so that it migrates the
   * schema and faulty settings are reported once.
   */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { apis = MACHINES, runners = MACHINES } = options;
    const machine = machinesOf(options);
    const first = await machine("api", 1);
    const started = await Promise.allSettled([
      ...numbers(2, apis).map((number) => machine("api", number)),
      ...numbers(1, runners).map((number) => machine("runner", number)),
    ]);
    const failed = started.find(({ status }) => status === "rejected");
    const all = [first, ...started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))];
    if (failed?.status === "rejected") {
      await Promise.all(all.map((one) => one.end("SIGTERM")));
      throw failed.reason;
    }
    const serving = all.slice(0, apis);
    const balancer = await startBalancer(() =>
      serving.filter(({ berth }) => isAlive(berth.pid)).map(({ berth }) => berth.url),
    );
    return new Cluster(serving, all.slice(apis), balancer);
  }

  /** The balancer's URL. */
  get url(): string {
    return this.#balancer.url;
  }

  get machines(): readonly Machine[] {
    return [...this.apis, ...this.runners];
  }

  /** Stops all machines. The directory remains. */
  async stop(): Promise<void> {
    for (const machine of this.machines) machine.thaw();
    await Promise.all(this.machines.map((machine) => machine.end("SIGTERM")));
    this.#balancer.close();
  }
}

/** Returns the path of a cluster's secret key. */
export function secretKeyOf(directory: string): string {
  return join(directory, "secret.key");
}

function machinesOf({ directory, settings, log }: ClusterOptions) {
  const secretKey = secretKeyOf(directory);
  if (!existsSync(secretKey)) writeFileSync(secretKey, randomBytes(32).toString("base64"), { mode: 0o600 });
  return async (role: "api" | "runner", number: number): Promise<Machine> => {
    const dataDir = join(directory, `${role}-${number}`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const own: Record<string, string> = { BERTH_ROLE: role, BERTH_SECRET_KEY_FILE: secretKey };
    if (role === "runner") own.BERTH_RUNNER_ADDRESS = "127.0.0.1:0";
    return await Machine.start({ ...settings, ...own }, { dataDir, ...(log && { log }) });
  };
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
}
