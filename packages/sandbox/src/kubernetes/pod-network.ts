import type { NetworkNamespace } from "@berth/egress";
import type { V1Container, V1Volume } from "@kubernetes/client-node";
import type { SandboxSpec } from "../interface/spec.ts";
import type { EntryAttempts } from "./egress/gateway-network.ts";

/** The source of the network of sandboxes' pods. */
export interface PodNetwork {
  /**
   * Returns the pod's parts for it: an init container `network`, and a container `egress` beside the sandbox.
   */
  parts(spec: SandboxSpec): {
    initContainers: V1Container[];
    containers: V1Container[];
    volumes: V1Volume[];
    sysctls?: { name: string; value: string }[];
    /** Variables of the sandbox's container. */
    variables?: { name: string; value: string }[];
  };
  /**
   * Connects the sandbox. Called once its container runs.
   *
   * @param attempts Given for a new pod, whose other containers may start later.
   */
  open(pod: string, spec: SandboxSpec, attempts?: EntryAttempts): Promise<OpenPodNetwork>;
}

export interface OpenPodNetwork extends Pick<NetworkNamespace, "setPolicy" | "watchDenied" | "close"> {
  /** Resolves when the policies that were set are in force. */
  settled(): Promise<void>;
  /** Resolves with the reason when the sandbox has no network any longer. */
  readonly ended: Promise<string>;
}

/** The network that the cluster gives every pod. */
export const CLUSTER_NETWORK: PodNetwork = {
  parts: () => ({ initContainers: [], containers: [], volumes: [] }),
  open: async () => ({
    setPolicy: () => {},
    watchDenied: () => () => [],
    settled: async () => {},
    ended: new Promise(() => {}),
    close: async () => {},
  }),
};
