import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { ALL_PROBES } from "./all-probes.ts";
import { startHostCanaries, startNeighbour } from "./canaries.ts";
import { hostProcesses } from "./host-processes.ts";
import { DEFAULT_PATHS } from "./prelude.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import { runProbes } from "./run-probes.ts";

export interface ProbeOptions {
  /** Host directory for the disks, in the data directory of the service, as for sessions. */
  directory: string;
  /** Host uids of the probed sandbox and of its neighbour. */
  uids: readonly [number, number];
  /** Overrides for both sandboxes. */
  spec?: Partial<SandboxSpec>;
  /** Overrides for the probed sandbox. */
  probed?: Partial<SandboxSpec>;
}

/**
 * Opens two sandboxes, starts canaries on the host and in the second, and runs probes in the first. Leaves
 * nothing behind. Rejects with `SandboxError` when no sandbox can be opened.
 */
export async function probeEngine(
  engine: SandboxEngine,
  { directory, uids, spec = {}, probed: alone = {} }: ProbeOptions,
  probes: readonly Probe[] = ALL_PROBES,
): Promise<ProbeResult[]> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const home = await mkdtemp(join(directory, "probes-"));
  const undo: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
  try {
    const host = await startHostCanaries();
    undo.push(host.close);
    const mounts = await makeMounts(home);
    const open = async (name: string, uid: number, own: Partial<SandboxSpec> = {}): Promise<Sandbox> => {
      const disk = join(home, name);
      const sandbox = await engine.open({
        ...specOf(`probes_${host.tag}_${name}`, disk, uid),
        ...mounts,
        ...spec,
        ...own,
      });
      undo.push(() => sandbox.close());
      return sandbox;
    };
    const probed = await open("probed", uids[0], alone);
    const neighbour = await startNeighbour(await open("neighbour", uids[1]), host.tag);
    undo.push(neighbour.close);
    return await runProbes(probed, probes, {
      ...host.variables,
      ...neighbour.variables,
      ...hostProcesses(host.tag),
      service_directory: directory,
      neighbour_disk: join(home, "neighbour"),
    });
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

/** Makes an upload and a skill for the sandboxes to mount. */
async function makeMounts(home: string): Promise<Pick<SandboxSpec, "files" | "directories">> {
  const skill = join(home, "skills", "probe");
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, "SKILL.md"), "probed\n", { mode: 0o644 });
  await writeFile(join(home, "upload"), "probed\n", { mode: 0o644 });
  return {
    files: [{ source: join(home, "upload"), target: DEFAULT_PATHS.upload }],
    directories: [{ source: skill, target: DEFAULT_PATHS.skills }],
  };
}

function specOf(id: string, disk: string, uid: number): SandboxSpec {
  return {
    id,
    disk,
    temporaryDisk: true,
    uid,
    limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  };
}
