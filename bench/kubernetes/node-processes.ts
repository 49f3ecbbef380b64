import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readOrEmpty } from "../../tests/acceptance/harness/read-or-empty.ts";

/** The kernel counts in hundredths of a second, on every architecture that Node runs on. */
const TICK_MS = 10;

/** The processes of a cluster that `startTestCluster` started. */
export class NodeProcesses {
  readonly #directory: string;
  readonly #group: string;

  constructor(kubeconfig: string) {
    this.#directory = dirname(kubeconfig);
    this.#group = join("/sys/fs/cgroup/pids", readFileSync(join(this.#directory, "netns"), "utf8").trim());
  }

  /** Returns the proportional set size, in MiB, of all pods and their processes of the container runtime. */
  podMemory(): number {
    const pids = [...this.#inPods(), ...this.#shims()];
    const kilobytes = pids.map((pid) =>
      Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    );
    return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
  }

  podProcesses(): number {
    return this.#inPods().length;
  }

  /**
   * Returns milliseconds of processor time of API server, etcd, controllers, kubelet, container runtime and
   * pods, including ended children.
   */
  cpuMs(): number {
    return [...this.#services(), ...this.#shims(), ...this.#inPods()].reduce(
      (sum, pid) => sum + cpuOf(pid),
      0,
    );
  }

  #services(): string[] {
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith(".pid"))
      .map((name) => readFileSync(join(this.#directory, name), "utf8").trim());
  }

  #shims(): string[] {
    const pids = pidsIn(this.#group);
    return pids.filter((pid) => readOrEmpty(`/proc/${pid}/cmdline`).includes("containerd-shim"));
  }

  #inPods(): string[] {
    return readdirSync(this.#group, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ parentPath, name }) => pidsIn(join(parentPath, name)));
  }
}

/** Returns the CPU milliseconds of this process and its ended children. */
export function ownCpuMs(): number {
  return cpuOf("self");
}

function cpuOf(pid: string): number {
  // After the name, which may contain anything, in parentheses: state, parent, … user and system time, and
  // those of children.
  const fields = readOrEmpty(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}

function pidsIn(group: string): string[] {
  return readOrEmpty(join(group, "cgroup.procs")).split("\n").filter(Boolean);
}
