import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKit } from "./find-kit.ts";

/** A cluster with pods, for the tests of one file. */
export interface TestCluster {
  /** Path of a kubeconfig with which this process and its children reach the API server. */
  kubeconfig: string;
  namespace: string;
  /** The image of sandboxes, which has the programs that tests run in them. */
  image: string;
  imagePullPolicy: "Never" | "IfNotPresent";
  /** A class whose volumes have exactly the requested size; null for the cluster's default. */
  storageClass: string | null;
  /** The class of snapshots of these volumes; null if the cluster has none. */
  snapshotClass: string | null;
  close(): Promise<void>;
}

/** The message of `keep-cluster.ts` once the cluster accepts pods. */
export type Kept = Omit<TestCluster, "close">;

/**
 * Starts a cluster for this test file, or uses the configured one. A started cluster ends with this process,
 * however that ends.
 *
 * @param form `objects` starts an API server without a node, for tests without pods; `nodes` starts two
 * nodes.
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
  // The path has to be short, since it contains the socket of the container runtime.
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

/**
 * Starts the keeper in its own process session. It stops the cluster when the connection to this process
 * ends.
 */
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
