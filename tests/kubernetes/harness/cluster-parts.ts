// Controls the processes of a cluster that a test started, by the files in its directory.
import { type SpawnOptions, spawn } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { isAlive, signalIfAlive } from "../../crash/processes.ts";
import { pullCable, SECOND_NODE } from "./second-node.ts";

export type Part = "etcd" | "apiserver" | "kubelet";

/** Kills a part with SIGKILL. Returns a function that starts the same program again on its data. */
export async function killPart(cluster: string, part: Part): Promise<() => void> {
  const pid = pidOf(cluster, part);
  if (readlinkSync(`/proc/${pid}/cwd`) !== cluster) throw new Error(`${pid} is no process of this cluster`);
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  process.kill(pid, "SIGKILL");
  await waitUntil(
    () => !isAlive(pid),
    () => `${part} does not end`,
  );
  return () => startAgain(cluster, part, words);
}

/** Cuts a node off and kills all its processes with its pods, like a power failure. */
export async function powerOffSecondNode(cluster: string): Promise<void> {
  await pullCable(cluster);
  const pids = processesOf(join(cluster, SECOND_NODE), "");
  for (const pid of pids) signalIfAlive(pid, "SIGKILL");
  await waitUntil(
    () => !pids.some(isAlive),
    () => "a process of the node is left",
  );
}

/** Returns the processes in the pods of a node. */
export function podProcesses(node: string): number[] {
  return processesOf(node, "kubepods");
}

function startAgain(cluster: string, part: Part, words: readonly string[]): void {
  const log = openSync(join(cluster, `${part}.log`), "a");
  const options: SpawnOptions = { detached: true, stdio: ["ignore", log, log] };
  const command = ["sh", "-c", 'cd "$0" && exec "$@"', cluster, ...words];
  const child = spawn("nsenter", [...placeOf(cluster, part), ...command], options);
  closeSync(log);
  child.unref();
  writeFileSync(join(cluster, `${part}.pid`), `${child.pid}\n`);
  if (part === "kubelet") appendFileSync(join(groupOf(cluster), "cgroup.procs"), `${child.pid}`);
}

/** Returns how to enter a part's namespaces. The kubelet's are those of its container runtime. */
function placeOf(cluster: string, part: Part): string[] {
  if (part !== "kubelet") return [`--net=/run/netns/${namespaceOf(cluster)}`];
  return ["--target", `${pidOf(cluster, "containerd")}`, "--net", "--mount", "--uts"];
}

function processesOf(node: string, below: string): number[] {
  return processesIn(join(groupOf(node), below));
}

/** Returns the processes of a group and its subgroups. A group may disappear meanwhile. */
function processesIn(group: string): number[] {
  try {
    const own = readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
    const groups = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...own, ...groups.flatMap(({ name }) => processesIn(join(group, name)))];
  } catch (error) {
    if (["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Returns the control group of a node, which contains its pods. */
function groupOf(node: string): string {
  return `/sys/fs/cgroup/pids/${namespaceOf(node)}`;
}

function namespaceOf(node: string): string {
  return readFileSync(join(node, "netns"), "utf8").trim();
}

function pidOf(cluster: string, name: string): number {
  return Number(readFileSync(join(cluster, `${name}.pid`), "utf8"));
}
