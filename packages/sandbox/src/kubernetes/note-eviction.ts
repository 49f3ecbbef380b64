import type { V1Pod } from "@kubernetes/client-node";
import { OWNER, POOL } from "./pod-body.ts";

type Annotations = Readonly<Record<string, string>>;

const CLUSTER_AUTOSCALER = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const KARPENTER = "karpenter.sh/do-not-disrupt";

/** What a session has is there only while it works and shortly after: what empties nodes waits that long. */
const HELD: Annotations = { [CLUSTER_AUTOSCALER]: "false", [KARPENTER]: "true" };
/** What nobody has can be made anew elsewhere at any time. */
const POOLED: Annotations = { [CLUSTER_AUTOSCALER]: "true", [KARPENTER]: "false" };

/**
 * What a pod tells the autoscalers that take nodes away: whether they may evict it. Those of Kubernetes and Karpenter each have an annotation.
 *
 * @param body with the operator's patch, whose annotations win.
 */
export function evictionNotes({ metadata: { labels, annotations } = {} }: V1Pod): Annotations {
  const notes = labels?.[OWNER] === POOL ? POOLED : HELD;
  return Object.fromEntries(
    Object.entries(notes).map(([name, value]) => [name, annotations?.[name] ?? value]),
  );
}

/** They are not what a pod is made with: another that takes it changes them. */
export function withEvictionNotes(body: V1Pod): V1Pod {
  const { metadata } = body;
  const annotations = { ...metadata?.annotations, ...evictionNotes(body) };
  return { ...body, metadata: { ...metadata, annotations } };
}
