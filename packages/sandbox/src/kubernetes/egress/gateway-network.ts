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
  /** Aborts when it will not, or need not. */
  signal: AbortSignal;
  /** Resolves when an attempt may succeed. Until then none is made, and the time does not count. Default: always. */
  held?(): Promise<void>;
}

/** Starts a command in a container of a pod, once the container runs. */
export type StartCommand = (
  pod: string,
  container: string,
  command: readonly string[],
  attempts?: EntryAttempts,
) => Promise<SidecarStreams>;

/** What a pod's sandbox has as its network. */
export interface PodEgress {
  setPolicy(policy: EgressPolicy): void;
  watchDenied(): () => EgressDenied[];
  /** Resolves when the policies that were set are in force: before a command, so that it meets what was set before it. */
  settled(): Promise<void>;
  /** Resolves when nothing passes its connections on any more, so that only another sandbox has a network. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Pods whose connections end at an egress gateway. */
export class GatewayNetwork {
  readonly #settings: EgressSettings;
  readonly #start: StartCommand;
  readonly #log: (line: object) => void;

  constructor(settings: EgressSettings, start: StartCommand, log: (line: object) => void) {
    this.#settings = settings;
    this.#start = start;
    this.#log = log;
  }

  /** What the pod has for it. Without a tunnel nothing passes the connections on, and nobody takes the low ports. */
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

  /** Called once the pod runs and has its files. @param attempts of a new pod, whose sidecar may run later. */
  async open(pod: string, spec: SandboxSpec, attempts?: EntryAttempts): Promise<PodEgress> {
    const tunnel = await spec.openTunnel?.(spec.egress);
    if (tunnel === undefined) return UNREACHED;
    try {
      const command = sidecarCommand(this.#settings, tunnel.epoch);
      const streams = await this.#start(pod, EGRESS_CONTAINER, command, attempts);
      return await Sidecar.open(streams, tunnel, { onDenied: spec.onEgressDenied, log: this.#log });
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
