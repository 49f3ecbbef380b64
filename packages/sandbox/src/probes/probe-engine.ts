import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { ALL_PROBES } from "./all-probes.ts";
import { startHostCanaries, startNeighbour } from "./canaries.ts";
import { PLACES } from "./prelude.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import { runProbes } from "./run-probes.ts";

export interface ProbeOptions {
  /** Host directory for the disks, in the data directory of the service, so that they lie where those of sessions do. */
  directory: string;
  /** Host uids of the sandbox that the probes run in and of the one beside it. */
  uids: readonly [number, number];
  /** Laid over the specification of both sandboxes. */
  spec?: Partial<SandboxSpec>;
  /** Laid over that of the one that the probes run in. */
  probed?: Partial<SandboxSpec>;
}

/**
 * Opens two sandboxes of an engine, makes what there is to find on the host and in the second, and runs probes in the first. Leaves
 * nothing. Rejects with `SandboxError` where no sandbox can be opened.
 */
export async function probeEngine(
  engine: SandboxEngine,
  { directory, uids, spec = {}, probed: alone = {} }: ProbeOptions,
  probes: readonly Probe[] = ALL_PROBES,
): Promise<ProbeResult[]> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const place = await mkdtemp(join(directory, "probes-"));
  const undo: (() => Promise<unknown>)[] = [() => rm(place, { recursive: true, force: true })];
  try {
    const stage = await startHostCanaries();
    undo.push(stage.close);
    const made = await makeMounts(place);
    const open = async (name: string, uid: number, own: Partial<SandboxSpec> = {}): Promise<Sandbox> => {
      const disk = join(place, name);
      const sandbox = await engine.open({
        ...specOf(`probes_${stage.tag}_${name}`, disk, uid),
        ...made,
        ...spec,
        ...own,
      });
      undo.push(() => sandbox.close());
      return sandbox;
    };
    const probed = await open("probed", uids[0], alone);
    const neighbour = await startNeighbour(await open("neighbour", uids[1]), stage.tag);
    undo.push(neighbour.close);
    return await runProbes(probed, probes, {
      ...stage.variables,
      ...neighbour.variables,
      service_directory: directory,
      neighbour_disk: join(place, "neighbour"),
    });
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

/** A file among the uploads, and a directory as skills have. */
async function makeMounts(place: string): Promise<Pick<SandboxSpec, "files" | "directories">> {
  const skill = join(place, "skills", "probe");
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, "SKILL.md"), "probed\n", { mode: 0o644 });
  await writeFile(join(place, "upload"), "probed\n", { mode: 0o644 });
  return {
    files: [{ source: join(place, "upload"), target: PLACES.upload }],
    directories: [{ source: skill, target: PLACES.skills }],
  };
}

function specOf(id: string, disk: string, uid: number): SandboxSpec {
  return {
    id,
    disk,
    uid,
    limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  };
}
