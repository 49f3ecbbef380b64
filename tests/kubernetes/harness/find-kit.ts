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

/** What the tests of pods run on. */
export type Kit =
  /** A directory with the programs and scripts of a cluster, which a test starts for itself. */
  | { kind: "scripts"; directory: string }
  /** The kubeconfig of a cluster that is there. */
  | { kind: "cluster"; kubeconfig: string };

/**
 * Where a cluster for tests comes from: `BERTH_TEST_KUBERNETES`, a directory with the programs and scripts of a cluster or the
 * kubeconfig of one that is there, or else the directory `shared/kubernetes` beside the checkout. Null without either.
 */
export function findKit(): Kit | null {
  const named = process.env.BERTH_TEST_KUBERNETES;
  const path = named ?? join(REPOSITORY, "../shared/kubernetes");
  if (!existsSync(path)) return null;
  return statSync(path).isDirectory()
    ? { kind: "scripts", directory: path }
    : { kind: "cluster", kubeconfig: path };
}

/** Why this machine has no cluster for tests, or null. */
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
  return missing.length > 0 ? `${missing.join(", ")} is missing: run script/setup --tests` : null;
}

function isProgram(name: string): boolean {
  return [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((directory) =>
    existsSync(`${directory}/${name}`),
  );
}
