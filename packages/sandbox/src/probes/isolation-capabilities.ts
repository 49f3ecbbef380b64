import type { Capability } from "../interface/capability.ts";
import type { ProbeResult } from "./probe.ts";

const NO_OPTIONS =
  "its mounts lack these options, but programs gain no privileges and devices cannot be opened";

const PODMAN_NAMES = "Podman hides only the cgroup names that it assigns; they are names and give no access";

const OF_NODE =
  "Kubernetes shows every pod that much of its node; a runtime class with a kernel of its own, such as gVisor, does not";
const UNBOUND_ON_NODE =
  "Kubernetes does not limit it for a pod; a runtime class with a kernel of its own, such as gVisor, keeps it from the node";

/** Probes that succeed, or cannot be tried, with an engine and why that is acceptable, by the engine's name and the probe's id. */
export const KNOWN_BREACHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docker: {
    setuid_places: NO_OPTIONS,
    device_places: NO_OPTIONS,
    init_descriptors: "its user may open the pipes of process 1, whose output is not trusted",
    host_groups: PODMAN_NAMES,
    groups_named: PODMAN_NAMES,
  },
  kubernetes: {
    setuid_places: NO_OPTIONS,
    device_places: NO_OPTIONS,
    init_descriptors: "its user may open the pipes of process 1, whose output is not trusted",
    ...Object.fromEntries(
      [
        ...["proc_write", "pressure", "disk_statistics", "whole_machine", "boot_parameters"],
        ...["sys_devices", "key_users", "host_groups", "groups_listed", "groups_named"],
      ].map((probe) => [probe, OF_NODE]),
    ),
    ptrace_launcher: "the launcher of a pod is a process of its node, whose pid Berth does not know",
    interfaces: "a pod has an interface of its own, beside the loopback",
    terminals: UNBOUND_ON_NODE,
    table_locks: UNBOUND_ON_NODE,
  },
};

/**
 * Summarizes probe results for `berth doctor`, one line for each group. The state is `no` when a probe has
 * succeeded, `degraded` when one was not run or is known to succeed with this engine.
 */
export function isolationCapabilities(engine: string, results: readonly ProbeResult[]): Capability[] {
  const known = KNOWN_BREACHES[engine] ?? {};
  return [...Map.groupBy(results, ({ probe }) => probe.group)].map(([group, all]) => {
    const failures = all.filter(({ state }) => state !== "held").map((result) => describe(result, known));
    const breached = all.some(({ probe, state }) => state === "breached" && !(probe.id in known));
    const held = `${all.length - failures.length} of ${all.length} probes held.`;
    const state = breached ? "no" : failures.length > 0 ? "degraded" : "yes";
    return { name: `isolation_${group}`, state, detail: [held, ...failures].join(" ") };
  });
}

function describe({ probe, state, detail }: ProbeResult, known: Readonly<Record<string, string>>): string {
  const evidence = `${probe.id}: ${detail}`;
  if (state === "untried")
    return `Not tested: whether a program in the sandbox ${probe.tries} (${evidence}).`;
  const why = known[probe.id];
  return `A program in the sandbox ${probe.tries} (${evidence})${why === undefined ? "" : `, which is known: ${why}`}.`;
}
