import type { NetworkNamespace } from "@berth/egress";
import type { V1Container, V1Volume } from "@kubernetes/client-node";
import type { SandboxSpec } from "../interface/spec.ts";

/** What gives the pods of sandboxes their network. */
export interface PodNetwork {
  /** What a pod has for it: an init container `network`, and a container `egress` beside the sandbox. */
  parts(spec: SandboxSpec): {
    initContainers: V1Container[];
    containers: V1Container[];
    volumes: V1Volume[];
  };
  /** Called once the pod runs. */
  open(
    pod: string,
    spec: SandboxSpec,
  ): Promise<Pick<NetworkNamespace, "setPolicy" | "watchDenied" | "close">>;
}

/** Pods with what the cluster's network gives them. */
export const CLUSTER_NETWORK: PodNetwork = {
  parts: () => ({ initContainers: [], containers: [], volumes: [] }),
  open: async () => ({ setPolicy: () => {}, watchDenied: () => () => [], close: async () => {} }),
};
