// usage: node keep-cluster.ts KIT DIRECTORY pods|objects|nodes
// Runs the cluster of a kit for the test that started it, and stops it when the connection to that test ends.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openBridge } from "./bridge.ts";
import { makeImages, TEST_IMAGE } from "./make-images.ts";
import { type Node, STORAGE_CLASS, startProvisioner } from "./provisioner.ts";
import { RESOLVER } from "./resolver.ts";
import { makeSecondNode, SECOND_NODE } from "./second-node.ts";
import { SNAPSHOT_CLASS } from "./snapshot-definitions.ts";
import type { Kept } from "./test-cluster.ts";
import { unpackPrograms } from "./unpack-programs.ts";

const run = promisify(execFile);
/** The kubelet's process limit of a pod, above the sandbox's own limit. */
const POD_PIDS_LIMIT = 4_096;

const [, , kit = "", directory = "", form = ""] = process.argv;
const ended = new Promise<void>((resolve) => process.once("disconnect", resolve));
const scripts = join(directory, "kit");

try {
  await Promise.race([start(), ended]);
  await ended;
} finally {
  const second = join(directory, SECOND_NODE);
  for (const started of existsSync(second) ? [second, directory] : [directory]) {
    const { stdout, stderr } = await run("sh", [join(scripts, "stop.sh"), started]);
    console.log(stdout, stderr);
  }
}
await rm(directory, { recursive: true, force: true });
process.exit(0);

async function start(): Promise<void> {
  await copyScripts();
  await symlink(await unpackPrograms(kit), join(directory, "bin"));
  const nodes = await (form === "objects" ? startControlPlane() : startNodes());
  const port = await openBridge(await namespaceOf());
  const kubeconfig = await reachableKubeconfig(port);
  if (nodes.length > 0) await startProvisioner(kubeconfig, directory, nodes);
  const kept: Kept = {
    kubeconfig,
    namespace: "default",
    image: TEST_IMAGE,
    imagePullPolicy: "Never",
    storageClass: STORAGE_CLASS,
    snapshotClass: SNAPSHOT_CLASS,
  };
  process.send?.(kept);
}

async function startNodes(): Promise<Node[]> {
  const images = makeImages(directory, join(scripts, "make-image.py"));
  await Promise.all([startControlPlane(), images.pause]);
  const nodes = [{ name: "node1", directory }];
  if (form === "nodes") nodes.push(await makeSecondNode(directory));
  for (const node of nodes) {
    await run("sh", [join(node.directory, "kit/node.sh"), node.directory]);
    const socket = `${node.directory}/cd.sock`;
    await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", await images.test]);
  }
  return nodes;
}

async function startControlPlane(): Promise<Node[]> {
  await run("sh", [join(scripts, "control-plane.sh"), directory]);
  return [];
}

async function copyScripts(): Promise<void> {
  await mkdir(scripts);
  for (const entry of await readdir(kit, { withFileTypes: true }))
    if (entry.isFile()) await copyFile(join(kit, entry.name), join(scripts, entry.name));
  await run("chmod", ["-R", "u+w", scripts]);
  // Kubernetes allows the sysctl by default since 1.22.
  const kubelet = [
    `podPidsLimit: ${POD_PIDS_LIMIT}`,
    "allowedUnsafeSysctls: [net.ipv4.ip_unprivileged_port_start]",
  ];
  await appendFile(join(scripts, "kubelet.yaml"), `${kubelet.join("\n")}\n`);
  await replaceIn("kubelet.yaml", "clusterDNS: []", `clusterDNS: [${RESOLVER}]`);
  // With it, service accounts in pods get the API server's certificate authority.
  await replaceIn(
    "control-plane.sh",
    "--leader-elect=false --kube-api-qps",
    "--leader-elect=false --root-ca-file=certs/apiserver.crt --kube-api-qps",
  );
  if (form === "nodes")
    await replaceIn("control-plane.sh", "--bind-address=127.0.0.1", "--bind-address=0.0.0.0");
}

async function replaceIn(script: string, text: string, other: string): Promise<void> {
  const path = join(scripts, script);
  await writeFile(path, (await readFile(path, "utf8")).replace(text, other));
}

async function namespaceOf(): Promise<string> {
  return `/run/netns/${(await readFile(join(directory, "netns"), "utf8")).trim()}`;
}

/**
 * Writes a kubeconfig for this process. The API server listens in the cluster's network namespace, and the
 * bridge in this one.
 */
async function reachableKubeconfig(port: number): Promise<string> {
  const text = await readFile(join(directory, "kubeconfig"), "utf8");
  const path = join(directory, "kubeconfig-of-test");
  await writeFile(path, text.replace("https://127.0.0.1:4443", `https://127.0.0.1:${port}`), { mode: 0o600 });
  return path;
}
