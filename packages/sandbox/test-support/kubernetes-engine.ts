import type { TestCluster } from "../../../tests/kubernetes/harness/test-cluster.ts";
import type { Subject } from "./conformance/conformance.ts";
import { MIB, PodEngines } from "./pod-engines.ts";

const UIDS = 120_000;

export interface PodSubject extends Subject {
  cluster: TestCluster;
  instance: string;
}

/** Starts an engine of pods with its own cluster. */
export async function startPodSubject(): Promise<PodSubject> {
  const pods = await PodEngines.start(UIDS);
  const engine = await pods.runner({ diskBytes: 512 * MIB });
  const { cluster, instance } = pods;
  return { engine, cluster, instance, uid: pods.spec().uid, close: () => pods.close() };
}
