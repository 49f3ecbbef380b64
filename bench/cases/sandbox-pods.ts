import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox, SandboxEngine } from "@berth/sandbox";
import { createKubernetesEngine } from "@berth/sandbox/kubernetes";
import type { TestCluster } from "../../tests/kubernetes/harness/test-cluster.ts";
import { type Figure, median, percentile, times } from "../figure.ts";
import type { BarePods } from "../kubernetes/bare-pods.ts";
import { NodeProcesses, ownCpuMs } from "../kubernetes/node-processes.ts";
import { benchSpec } from "./sandbox-spec.ts";

const COMMANDS = 200;
const PEER_COMMANDS = 30;
const OPEN = 6;
const DISK_BYTES = 64 * 2 ** 20;

/** Measures the engine alone: a command in an open pod, and the cost of an idle pod. */
export async function podFigures(cluster: TestCluster, bare: BarePods): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-pods-"));
  const engine = await createKubernetesEngine({
    ...{ instance: "bench", stateDir: directory, certificates: [], diskBytes: DISK_BYTES },
    kubeconfig: cluster.kubeconfig,
    namespace: cluster.namespace,
    defaultImage: cluster.image,
    imagePullPolicy: cluster.imagePullPolicy,
    storageClass: cluster.storageClass,
  });
  const node = new NodeProcesses(cluster.kubeconfig);
  try {
    return [...(await commands(engine, bare, node)), await idle(engine, bare, node)];
  } finally {
    await engine.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Measured {
  durations: number[];
  /** Processor time of this process and the whole cluster, for each command. */
  cpuMs: number;
}

async function commands(engine: SandboxEngine, bare: BarePods, node: NodeProcesses): Promise<Figure[]> {
  const measure = async (count: number, run: () => Promise<unknown>): Promise<Measured> => {
    await times(5, run);
    const cpu = () => ownCpuMs() + node.cpuMs();
    const before = cpu();
    const durations = await times(count, run);
    return { durations, cpuMs: (cpu() - before) / count };
  };
  const sandbox = await engine.open(benchSpec("commands", "commands"));
  const own = await measure(COMMANDS, () => command(sandbox));
  await sandbox.close();
  const [pod = ""] = await bare.start();
  const kubectl = await measure(PEER_COMMANDS, () => bare.execute(pod));
  const library = await measure(PEER_COMMANDS, () => bare.executeByLibrary(pod));
  await bare.removeAll();
  const row = (peer: string, theirs: Measured): Figure => ({
    what: "command in an open pod",
    peer,
    unit: "ms",
    value: median(own.durations),
    p95: percentile(own.durations, 0.95),
    peerValue: median(theirs.durations),
    note: `CPU of client and cluster ${own.cpuMs.toFixed(1)} ms each, the peer's ${theirs.cpuMs.toFixed(1)} ms; the peer's p95 ${percentile(theirs.durations, 0.95).toFixed(0)} ms`,
  });
  return [row("`kubectl exec`", kubectl), row("`Exec` of @kubernetes/client-node, opened for each", library)];
}

async function idle(engine: SandboxEngine, bare: BarePods, node: NodeProcesses): Promise<Figure> {
  await bare.start(OPEN);
  const peerValue = node.podMemory() / OPEN;
  await bare.removeAll();
  const names = Array.from({ length: OPEN }, (_, index) => `idle_${index}`);
  const open = await Promise.all(names.map((name) => engine.open(benchSpec(name, name))));
  await Promise.all(open.map(command));
  const [value, processes] = [node.podMemory() / OPEN, node.podProcesses() / OPEN];
  await Promise.all(open.map((sandbox) => sandbox.close()));
  return {
    what: "memory of an open idle pod (PSS), with its shim",
    peer: "a pod of one container that sleeps",
    unit: "MiB",
    value,
    peerValue,
    note: `${processes.toFixed(1)} processes; without the sidecar of its egress`,
  };
}

async function command(sandbox: Sandbox): Promise<void> {
  const { exitCode } = await sandbox.run({ script: "/bin/true", timeoutMs: 10_000, shell: "main" });
  if (exitCode !== 0) throw new Error(`The command exited with ${exitCode}.`);
}
