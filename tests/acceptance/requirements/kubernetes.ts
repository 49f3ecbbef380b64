import type { Requirement } from "./requirement.ts";

export const kubernetesRequirements: readonly Requirement[] = [
  {
    id: "kubernetes-sessions",
    source: "seed 1",
    rule: "On a Kubernetes cluster each session's sandbox is a pod: commands, uploaded files and outputs are as with every engine, and the disk takes what its limit says and no more.",
  },
  {
    id: "kubernetes-parked",
    source: "seed 1",
    rule: "An idle session has no pod; its next turn has the disk as it was. A deleted session leaves no volume.",
  },
  {
    id: "kubernetes-settings",
    source: "seed 1",
    rule: "The operator's settings decide on which nodes, with which runtime and with what else pods run.",
  },
  {
    id: "kubernetes-takeover",
    source: "seed 1",
    rule: "When a runner is killed in the middle of a turn, its running call is interrupted, another runner goes on with the session's disk, and no pod of the former is left.",
  },
];
