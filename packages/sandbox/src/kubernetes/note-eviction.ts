import type { V1Pod } from "@kubernetes/client-node";
import { OWNER, POOL } from "./pod-body.ts";

type Annotations = Readonly<Record<string, string>>;

const CLUSTER_AUTOSCALER = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const KARPENTER = "karpenter.sh/do-not-disrupt";

/**
 * Annotations of a session's pod, which exists only while the session works and shortly after. Autoscalers
 * should wait that long.
 */
const HELD: Annotations = { [CLUSTER_AUTOSCALER]: "false", [KARPENTER]: "true" };
/** Annotations of a pod in the pool, which can be made again elsewhere at any time. */
const POOLED: Annotations = { [CLUSTER_AUTOSCALER]: "true", [KARPENTER]: "false" };

/**
 * Returns the annotations that tell the autoscalers of nodes whether they may evict a pod. The cluster
 * autoscaler and Karpenter each have one.
 *
 * @param body The pod with the operator's patch, whose annotations take precedence.
 */
export function evictionNotes({ metadata: { labels, annotations } = {} }: V1Pod): Annotations {
  const notes = labels?.[OWNER] === POOL ? POOLED : HELD;
  return Object.fromEntries(
    Object.entries(notes).map(([name, value]) => [name, annotations?.[name] ?? value]),
  );
}

/**
 * Adds the annotations to a pod. They are not part of what it is made with, since a session that takes it
 * changes them.
 */
export function withEvictionNotes(body: V1Pod): V1Pod {
  const { metadata } = body;
  const annotations = { ...metadata?.annotations, ...evictionNotes(body) };
  return { ...body, metadata: { ...metadata, annotations } };
}
