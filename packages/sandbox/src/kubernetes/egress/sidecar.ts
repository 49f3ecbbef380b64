import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DenialLog, type EgressDenied, type EgressPolicy } from "@berth/egress";
import { SandboxError } from "../../interface/errors.ts";
import type { EgressTunnel } from "../../interface/spec.ts";

/** Standard input and output of a running `sidecar.js` of @berth/egress. */
export interface SidecarStreams {
  input: Writable;
  output: Readable;
  /** Returns the beginning of its standard error. */
  errors(): string;
}

/** A line of its output; see `sidecar.js`. */
type Line =
  | { kind: "policy"; revision: number }
  | ({ kind: "denied" } & EgressDenied)
  | { kind: "lost" }
  | { kind: "port"; port: number; message: string };

export interface SidecarOptions {
  onDenied?: ((denied: EgressDenied) => void) | undefined;
  log(line: object): void;
}

const READY_MS = 20_000;
/** Milliseconds that a starting command waits for a changed policy to be in force. */
const SETTLE_MS = 5_000;

/**
 * The egress of one pod's sandbox: the policy in force there, and the denials. When the sidecar ends, every
 * connection of the sandbox fails.
 */
export class Sidecar {
  /** Resolves when the sidecar has ended. */
  readonly ended: Promise<void>;
  readonly #streams: SidecarStreams;
  readonly #tunnel: EgressTunnel;
  readonly #log: (line: object) => void;
  readonly #denials: DenialLog;
  readonly #waiting = new Set<() => void>();
  #revision = 0;
  #changing: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(streams: SidecarStreams, tunnel: EgressTunnel, { onDenied, log }: SidecarOptions) {
    this.#streams = streams;
    this.#tunnel = tunnel;
    this.#log = log;
    this.#denials = new DenialLog(onDenied ?? (() => {}));
    streams.input.on("error", () => {});
    const lines = createInterface({ input: streams.output });
    lines.on("line", (text) => this.#take(text));
    this.ended = new Promise((resolve) => {
      streams.output.on("error", () => {}).once("close", resolve);
    });
    streams.input.write(`${JSON.stringify(tunnel.settings)}\n`);
  }

  /**
   * Resolves once the sandbox's connections are forwarded. Rejects with `SandboxError` when they are not in
   * time.
   */
  static async open(
    streams: SidecarStreams,
    tunnel: EgressTunnel,
    options: SidecarOptions,
  ): Promise<Sidecar> {
    const sidecar = new Sidecar(streams, tunnel, options);
    if (await sidecar.#reaches(1, READY_MS)) return sidecar;
    await sidecar.close();
    throw new SandboxError(
      `the egress of a pod is not there: ${streams.errors() || "its gateway is not reached"}`,
    );
  }

  /** Changes the policy, which takes effect a little later; `settled` waits for it. */
  setPolicy(policy: EgressPolicy): void {
    this.#changing = this.#changing
      .then(() => this.#tunnel.setPolicy(policy))
      .then((revision) => revision === null || this.#reaches(revision, SETTLE_MS))
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
    else
      this.#log({ msg: "a port of a sandbox cannot be listened at", port: line.port, error: line.message });
  }

  /** Returns whether the revision, or a later one, is in force within the time. */
  async #reaches(revision: number, milliseconds: number): Promise<boolean> {
    if (this.#revision >= revision) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = (): void => {
      if (this.#revision >= revision) resolve(true);
    };
    const timer = setTimeout(() => resolve(false), milliseconds);
    this.#waiting.add(wake);
    void this.ended.then(() => resolve(false));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(wake);
    }
  }
}
