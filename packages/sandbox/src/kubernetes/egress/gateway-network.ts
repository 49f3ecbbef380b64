import type { EgressDenied, EgressPolicy } from "@berth/egress";
import type { SandboxSpec } from "../../interface/spec.ts";
import {
  EGRESS_CONTAINER,
  EGRESS_SYSCTLS,
  type EgressSettings,
  proxyVariables,
  routesContainer,
  sidecarCommand,
  sidecarContainer,
} from "./egress-containers.ts";
import { Sidecar, type SidecarStreams } from "./sidecar.ts";

/** Attempts to start a process in a container that may not run yet. */
export interface EntryAttempts {
  /** Aborts when the container will not run, or is not needed. */
  signal: AbortSignal;
  /**
   * Resolves when an attempt may succeed. Until then none is made, and the time does not count. Default:
   * attempts may always succeed.
   */
  held?(): Promise<void>;
}

/**
 * Milliseconds that a sidecar has to start and to reach its gateway. Long, since on a busy node Node.js alone
 * may take most of a minute to start, and a gateway may just be replaced.
 */
const READY_MS = 120_000;

/** Starts a command in a container of a pod, once the container runs. */
export type StartCommand = (
  pod: string,
  container: string,
  command: readonly string[],
  attempts?: EntryAttempts,
) => Promise<SidecarStreams>;

/** The egress of a pod's sandbox. */
export interface PodEgress {
  setPolicy(policy: EgressPolicy): void;
  watchDenied(): () => EgressDenied[];
  /**
   * Resolves when the policies that were set are in force. Awaited before a command, so that earlier policies
   * apply to it.
   */
  settled(): Promise<void>;
  /**
   * Resolves with the reason when nothing forwards its connections any longer, so that only a new sandbox has a
   * network.
   */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** The network of pods whose connections end at an egress gateway. */
export class GatewayNetwork {
  readonly #settings: EgressSettings;
  readonly #start: StartCommand;
  readonly #log: (line: object) => void;

  constructor(settings: EgressSettings, start: StartCommand, log: (line: object) => void) {
    this.#settings = settings;
    this.#start = start;
    this.#log = log;
  }

  /**
   * Returns the pod's parts for it. Without a tunnel there is no sidecar, so the low ports need not be
   * opened.
   */
  parts(spec: SandboxSpec) {
    const { capture } = this.#settings;
    const hasTunnel = spec.openTunnel !== undefined;
    return {
      initContainers: capture === "routes" ? [routesContainer(this.#settings)] : [],
      containers: hasTunnel ? [sidecarContainer(this.#settings)] : [],
      volumes: [],
      sysctls: hasTunnel ? EGRESS_SYSCTLS : [],
      variables: proxyVariables(this.#settings),
    };
  }

  /**
   * Connects the sandbox. Called once the pod runs and has its files. Rejects with `PodLostError` when the
   * connection to the pod is cut, otherwise with `SandboxError`.
   *
   * @param attempts Given for a new pod, whose sidecar may run later.
   */
  async open(pod: string, spec: SandboxSpec, attempts?: EntryAttempts): Promise<PodEgress> {
    const tunnel = await spec.openTunnel?.(spec.egress);
    if (tunnel === undefined) return UNREACHED;
    try {
      const command = sidecarCommand(this.#settings, tunnel.epoch);
      const streams = await this.#start(pod, EGRESS_CONTAINER, command, attempts);
      const late = AbortSignal.timeout(READY_MS);
      return await Sidecar.open(streams, tunnel, {
        onDenied: spec.onEgressDenied,
        log: this.#log,
        signal: attempts === undefined ? late : AbortSignal.any([late, attempts.signal]),
      });
    } catch (error) {
      await tunnel.close();
      throw error;
    }
  }
}

const UNREACHED: PodEgress = {
  setPolicy: () => {},
  watchDenied: () => () => [],
  settled: async () => {},
  ended: new Promise(() => {}),
  close: async () => {},
};
