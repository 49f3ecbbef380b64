import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { startTestCluster, type TestCluster } from "../../../tests/kubernetes/harness/test-cluster.ts";
import type { SandboxEngine } from "../src/interface/sandbox.ts";
import type { SandboxSpec } from "../src/interface/spec.ts";
import { Cluster } from "../src/kubernetes/cluster.ts";
import { createKubernetesEngine, type KubernetesOptions } from "../src/kubernetes/kubernetes-engine.ts";

export const MIB = 1024 * 1024;

/** Engines of pods in one test file's own cluster, as when several runners share it. */
export class PodEngines {
  readonly cluster: TestCluster;
  /** The cluster as an engine accesses it. */
  readonly api: Cluster;
  readonly core: CoreV1Api;
  /** The instance to which all engines belong. */
  readonly instance = `test-${process.pid}`;
  /** Directory for files of the tests, removed at the end. */
  readonly directory: string;
  readonly #firstUid: number;
  readonly #engines: SandboxEngine[] = [];
  #count = 0;

  private constructor(cluster: TestCluster, api: Cluster, directory: string, uids: number) {
    this.cluster = cluster;
    this.api = api;
    this.core = clientOf(cluster).makeApiClient(CoreV1Api);
    this.directory = directory;
    this.#firstUid = (process.pid % 10_000) + uids;
  }

  /**
   * Starts a cluster.
   *
   * @param uids First of some ten thousand uids that no other test file uses: the kernel counts the processes
   * of a uid over all pods of a node.
   */
  static async start(uids: number): Promise<PodEngines> {
    const directory = await mkdtemp(join(tmpdir(), "berth-pods-"));
    const cluster = await startTestCluster();
    const api = await Cluster.connect(cluster.kubeconfig, cluster.namespace);
    return new PodEngines(cluster, api, directory, uids);
  }

  /** Returns an engine with the cluster's image and small disks, which is closed at the end. */
  async runner(options: Partial<KubernetesOptions> = {}): Promise<SandboxEngine> {
    const { kubeconfig, namespace, image, imagePullPolicy, storageClass } = this.cluster;
    const engine = await createKubernetesEngine({
      instance: this.instance,
      ...{ kubeconfig, namespace, imagePullPolicy, storageClass },
      defaultImage: image,
      diskBytes: 64 * MIB,
      // Engines of one process have different directories in it.
      stateDir: join(this.directory, "state"),
      certificates: [],
      ...options,
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Returns a spec with its own id, disk and uid. */
  spec(overrides: Partial<SandboxSpec> = {}): SandboxSpec {
    this.#count += 1;
    const id = `pods${process.pid}_${this.#count}`;
    return {
      id,
      disk: id,
      uid: this.#firstUid + this.#count,
      limits: { memoryBytes: 256 * MIB, pids: 64, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      ...overrides,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()));
    await this.cluster.close();
    await rm(this.directory, { recursive: true });
  }
}

/** Returns the client configuration of the user who made the cluster. */
export function clientOf({ kubeconfig }: TestCluster): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
}
