import type { NetworkNamespace } from "@berth/egress";
import type { V1Container, V1Volume } from "@kubernetes/client-node";
import type { SandboxSpec } from "../interface/spec.ts";
import type { EntryAttempts } from "./egress/gateway-network.ts";

/** What gives the pods of sandboxes their network. */
export interface PodNetwork {
  /** What a pod has for it: an init container `network`, and a container `egress` beside the sandbox. */
  parts(spec: SandboxSpec): {
    initContainers: V1Container[];
    containers: V1Container[];
    volumes: V1Volume[];
    sysctls?: { name: string; value: string }[];
    /** Of the sandbox's container. */
    variables?: { name: string; value: string }[];
  };
  /** Called once the sandbox's container runs. @param attempts of a new pod, of which other containers may start later. */
  open(pod: string, spec: SandboxSpec, attempts?: EntryAttempts): Promise<OpenPodNetwork>;
}

export interface OpenPodNetwork extends Pick<NetworkNamespace, "setPolicy" | "watchDenied" | "close"> {
  /** Resolves when what was set is in force. */
  settled(): Promise<void>;
  /** Resolves when the sandbox has no network any more. */
  readonly ended: Promise<void>;
}

/** Pods with what the cluster's network gives them. */
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
