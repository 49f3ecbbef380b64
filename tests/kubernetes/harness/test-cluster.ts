import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKit } from "./find-kit.ts";

/** A cluster with pods, for the tests of one file. */
export interface TestCluster {
  /** Path of a kubeconfig with which this process, and those that it starts, reach the API server. */
  kubeconfig: string;
  namespace: string;
  /** With the programs that the tests run in a sandbox. */
  image: string;
  imagePullPolicy: "Never" | "IfNotPresent";
  /** Its volumes hold what their claims ask for, and no more. Null: the cluster's default. */
  storageClass: string | null;
  /** Of snapshots of these volumes. Null: there is none. */
  snapshotClass: string | null;
  close(): Promise<void>;
}

/** What `keep-cluster.ts` says once the cluster takes pods. */
export type Kept = Omit<TestCluster, "close">;

/**
 * Starts a cluster of this test's own, or uses the one that there is. It ends with this process, however that ends.
 *
 * @param form `objects`: an API server without a node, for tests that make no pods. `nodes`: two nodes.
 */
export async function startTestCluster(form: "pods" | "objects" | "nodes" = "pods"): Promise<TestCluster> {
  const kit = findKit();
  if (kit === null) throw new Error("no cluster for tests");
  return kit.kind === "cluster" ? existing(kit.kubeconfig) : await started(kit.directory, form);
}

function existing(kubeconfig: string): TestCluster {
  const {
    BERTH_TEST_KUBERNETES_IMAGE: image = "",
    BERTH_TEST_KUBERNETES_NAMESPACE: namespace = "default",
    BERTH_TEST_KUBERNETES_STORAGE_CLASS: storageClass = null,
    BERTH_TEST_KUBERNETES_SNAPSHOT_CLASS: snapshotClass = null,
  } = process.env;
  return {
    kubeconfig,
    namespace,
    image,
    imagePullPolicy: "IfNotPresent",
    storageClass,
    snapshotClass,
    close: async () => {},
  };
}

async function started(kit: string, form: string): Promise<TestCluster> {
  // A short path: the socket of the container runtime lies in it.
  const directory = await mkdtemp(join(tmpdir(), "bk-"));
  const keeper = startKeeper(kit, directory, form);
  const close = async () => {
    const exited = keeper.exitCode === null ? once(keeper, "exit") : null;
    if (keeper.connected) keeper.disconnect();
    await exited;
    if (keeper.exitCode !== 0) throw new Error(`The cluster did not end well:\n${tailOf(directory)}`);
  };
  const [kept] = (await Promise.race([
    once(keeper, "message"),
    once(keeper, "exit").then(() =>
      Promise.reject(new Error(`The cluster did not start:\n${tailOf(directory)}`)),
    ),
  ])) as [Kept];
  return { ...kept, close };
}

/** In a session of its own: it stops the cluster when the connection to this process ends. */
function startKeeper(kit: string, directory: string, form: string): ChildProcess {
  const log = openSync(`${directory}/keeper.log`, "a");
  const program = join(import.meta.dirname, "keep-cluster.ts");
  const keeper = spawn(process.execPath, [program, kit, directory, form], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  return keeper;
}

function tailOf(directory: string): string {
  return readFileSync(`${directory}/keeper.log`, "utf8").slice(-3_000);
}
