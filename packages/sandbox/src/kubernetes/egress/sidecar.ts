import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DenialLog, type EgressDenied, type EgressPolicy } from "@berth/egress";
import { PodLostError, SandboxError } from "../../interface/errors.ts";
import type { EgressTunnel } from "../../interface/spec.ts";

/** Standard input and output of a running `sidecar.js` of @berth/egress. */
export interface SidecarStreams {
  input: Writable;
  output: Readable;
  /** Returns the beginning of its standard error. */
  errors(): string;
  /** Resolves with null when the connection ended before the sidecar did. */
  exitCode: Promise<number | null>;
}

/** A line of its output; see `sidecar.js`. */
type Line =
  | { kind: "policy"; revision: number }
  | ({ kind: "denied" } & EgressDenied)
  | { kind: "unreached"; message: string }
  | { kind: "lost" }
  | { kind: "port"; port: number; message: string };

/** Why a sidecar ended, by its exit code. */
const ENDS: Readonly<Record<number, string>> = {
  3: "a later lease has the sandbox",
  4: "its gateway refuses the sandbox's token",
};

export interface SidecarOptions {
  onDenied?: ((denied: EgressDenied) => void) | undefined;
  log(line: object): void;
  /** Aborts when the gateway need not be reached any longer. */
  signal: AbortSignal;
}

/** Milliseconds that a starting command waits for a changed policy to be in force. */
const SETTLE_MS = 5_000;

/**
 * The egress of one pod's sandbox: the policy in force there, and the denials. When the sidecar ends, every
 * connection of the sandbox fails.
 */
export class Sidecar {
  /** Resolves with the reason when the sidecar has ended. */
  readonly ended: Promise<string>;
  readonly #streams: SidecarStreams;
  readonly #tunnel: EgressTunnel;
  readonly #log: (line: object) => void;
  readonly #denials: DenialLog;
  readonly #waiting = new Set<() => void>();
  #revision = 0;
  #changing: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** The last reason why the gateway could not be reached; null for none. */
  #fault: string | null = null;

  private constructor(
    streams: SidecarStreams,
    tunnel: EgressTunnel,
    { onDenied, log }: Omit<SidecarOptions, "signal">,
  ) {
    this.#streams = streams;
    this.#tunnel = tunnel;
    this.#log = log;
    this.#denials = new DenialLog(onDenied ?? (() => {}));
    streams.input.on("error", () => {});
    const lines = createInterface({ input: streams.output });
    lines.on("line", (text) => this.#take(text));
    this.ended = new Promise((resolve) => {
      streams.output.on("error", () => {}).once("close", () => resolve(this.#whyEnded()));
    });
    streams.input.write(`${JSON.stringify(tunnel.settings)}\n`);
  }

  /**
   * Resolves once the sandbox's connections are forwarded, however long the gateway takes. Rejects with
   * `SandboxError` when the sidecar has ended or the signal aborts, and with `PodLostError` when the connection
   * to the pod was cut.
   */
  static async open(
    streams: SidecarStreams,
    tunnel: EgressTunnel,
    { signal, ...options }: SidecarOptions,
  ): Promise<Sidecar> {
    const sidecar = new Sidecar(streams, tunnel, options);
    if (await sidecar.#reaches(1, signal)) return sidecar;
    const why = await sidecar.#whyNot(signal.aborted);
    await sidecar.close();
    throw why;
  }

  /** Changes the policy, which takes effect a little later; `settled` waits for it. */
  setPolicy(policy: EgressPolicy): void {
    this.#changing = this.#changing
      .then(() => this.#tunnel.setPolicy(policy))
      .then((revision) => revision === null || this.#reaches(revision, AbortSignal.timeout(SETTLE_MS)))
      .then((isInForce) => {
        if (!isInForce) this.#log({ msg: "a changed network policy is not in force yet" });
      })
      .catch((error: unknown) =>
        this.#log({ msg: "a network policy could not be changed", error: String(error) }),
      );
  }

  /** Resolves when every policy that was set is in force, or has failed to be in time. */
  async settled(): Promise<void> {
    await this.#changing;
  }

  watchDenied(): () => EgressDenied[] {
    return this.#denials.watch();
  }

  /** Ends the sidecar and closes the tunnel. A second call has no effect. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#streams.input.end();
    this.#streams.output.destroy();
    await this.#tunnel.close();
  }

  #take(text: string): void {
    const line = JSON.parse(text) as Line;
    if (line.kind === "denied") {
      const { host, port, reason } = line;
      this.#denials.add({ host, port, reason });
    } else if (line.kind === "policy") {
      this.#revision = line.revision;
      for (const wake of this.#waiting) wake();
    } else if (line.kind === "lost") this.#log({ msg: "the tunnel of a sandbox has ended" });
    else if (line.kind === "unreached") {
      this.#fault = line.message;
      this.#log({ msg: "the gateway of a sandbox is not reached", error: line.message });
    } else
      this.#log({ msg: "a port of a sandbox cannot be listened at", port: line.port, error: line.message });
  }

  /** @param isLate Whether the sidecar still runs, but need not go on. */
  async #whyNot(isLate: boolean): Promise<SandboxError> {
    const words = (why: string) => new SandboxError(`the egress of a pod is not there: ${why}`);
    if (isLate) return words(`its gateway is not reached${this.#fault === null ? " yet" : ""}`);
    if ((await this.#streams.exitCode) === null) return new PodLostError("the connection to the pod was cut");
    return words(await this.ended);
  }

  async #whyEnded(): Promise<string> {
    const code = await this.#streams.exitCode;
    if (code === null) return "the connection to it was cut";
    return this.#streams.errors() || (ENDS[code] ?? `it exited with ${code}`);
  }

  /** Returns whether the revision, or a later one, is in force before the signal aborts or the sidecar ends. */
  async #reaches(revision: number, signal: AbortSignal): Promise<boolean> {
    if (this.#revision >= revision) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = (): void => {
      if (this.#revision >= revision) resolve(true);
    };
    const give = (): void => resolve(false);
    this.#waiting.add(wake);
    signal.addEventListener("abort", give, { once: true });
    if (signal.aborted) give();
    void this.ended.then(give);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", give);
      this.#waiting.delete(wake);
    }
  }
}
