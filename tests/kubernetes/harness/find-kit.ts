import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "../../..");
const PROGRAMS = [
  "etcd",
  "containerd",
  "ctr",
  "runc",
  "zstd",
  "openssl",
  "curl",
  "python3",
  "ip",
  "mkfs.ext4",
  "iptables",
];
const FILES = ["/usr/lib/cni/bridge", "/bin/busybox"];

/** The source of clusters for tests of pods. */
export type Kit =
  /** A directory with the programs and scripts of a cluster, which each test file starts. */
  | { kind: "scripts"; directory: string }
  /** The kubeconfig of an existing cluster. */
  | { kind: "cluster"; kubeconfig: string };

/**
 * Returns the source of test clusters: `BERTH_TEST_KUBERNETES`, else the directory `shared/kubernetes` beside
 * the checkout. The variable names a directory with a cluster's programs and scripts, or a kubeconfig.
 * Returns null without either.
 */
export function findKit(): Kit | null {
  const named = process.env.BERTH_TEST_KUBERNETES;
  const path = named ?? join(REPOSITORY, "../shared/kubernetes");
  if (!existsSync(path)) return null;
  return statSync(path).isDirectory()
    ? { kind: "scripts", directory: path }
    : { kind: "cluster", kubeconfig: path };
}

/** Returns why this machine has no cluster for tests; null if it has one. */
export function missingForCluster(): string | null {
  const kit = findKit();
  if (kit === null)
    return "no cluster for tests: let BERTH_TEST_KUBERNETES name the directory with the programs of one, or a kubeconfig";
  if (kit.kind === "cluster")
    return process.env.BERTH_TEST_KUBERNETES_IMAGE === undefined
      ? "BERTH_TEST_KUBERNETES_IMAGE must name an image with Berth's packages that the cluster can pull"
      : null;
  if (process.getuid?.() !== 0) return "a cluster is started by root";
  const missing = [
    ...PROGRAMS.filter((name) => !isProgram(name)),
    ...FILES.filter((path) => !existsSync(path)),
  ];
  return missing.length > 0 ? `${missing.join(", ")} is missing: run script/setup --all-tests` : null;
}

function isProgram(name: string): boolean {
  return [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((directory) =>
    existsSync(`${directory}/${name}`),
  );
}
