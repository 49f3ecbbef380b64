import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "../../../tests/kubernetes/harness/test-cluster.ts";
import { createKubernetesEngine } from "../src/kubernetes/kubernetes-engine.ts";
import type { Subject } from "./conformance/conformance.ts";

const MIB = 1024 * 1024;

export interface PodSubject extends Subject {
  cluster: TestCluster;
  instance: string;
}

/** An engine of pods with a cluster of its own. */
export async function startPodSubject(): Promise<PodSubject> {
  const directory = await mkdtemp(join(tmpdir(), "berth-pods-"));
  const cluster = await startTestCluster();
  const instance = `test-${process.pid}`;
  const engine = await createKubernetesEngine({
    instance,
    kubeconfig: cluster.kubeconfig,
    namespace: cluster.namespace,
    defaultImage: cluster.image,
    imagePullPolicy: cluster.imagePullPolicy,
    storageClass: cluster.storageClass,
    diskBytes: 512 * MIB,
    stateDir: join(directory, "state"),
    certificates: [],
  });
  return {
    engine,
    cluster,
    instance,
    uid: (process.pid % 10_000) + 120_000,
    async close() {
      await engine.close();
      await cluster.close();
      await rm(directory, { recursive: true });
    },
  };
}
