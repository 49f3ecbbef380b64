import {
  DiskLimitError,
  ImageError,
  type MountedFile,
  type Sandbox,
  type SandboxEngine,
} from "@berth/sandbox";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import { createCredentialSource } from "../credentials/credential-source.ts";
import { claimDisk, type Disk, type DiskRoom } from "../disks/disk.ts";
import type { ProviderHosts } from "../egress/egress-policy.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import { type Removal, readRemovals } from "../inputs/removal-store.ts";
import {
  isPending,
  isRepository,
  type RunRepository,
  type RunResource,
  readResources,
} from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/run-session.ts";
import { openRepository } from "../inputs/session-repository.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import { createProvisioner, type Provisioner, type ProvisionParts } from "../resources/provision.ts";
import { readPinnedSkills } from "../skills/session-skills.ts";
import type { SkillDirectories } from "../skills/skill-directories.ts";
import { createEnvironmentWaits } from "../system/environment-waits.ts";
import { openOnSystem } from "../system/open-on-system.ts";
import { type SystemParts, sessionSystem } from "../system/systems.ts";
import { tellFault } from "../system/tell-fault.ts";
import { BegunLooks } from "../templates/begun-looks.ts";
import type { Look } from "../templates/templates.ts";
import { sandboxSpec } from "./sandbox-spec.ts";

export interface OpenParts extends ProvisionParts {
  db: Database;
  engine: SandboxEngine;
  disks: DiskRoom;
  /** Systems of Berth's own; null where sandboxes have what the engine gives them. */
  systems: SystemParts | null;
  mask(text: string): string;
  skills: SkillDirectories;
  providers: readonly ProviderHosts[];
  log: Logger;
}

/** Whose sandbox it is. */
export interface OpenTarget {
  lease: Lease;
  session: RunSession;
  runLog: RunLog;
  memory: SessionMemory;
  /** Takes what the model is to be told. */
  notes: string[];
  /** Aborts when no sandbox is needed any more. */
  signal: AbortSignal;
  /** Called when a file waits for a place that only a fresh sandbox has. */
  onWantsReopen(): void;
}

export interface Opened {
  sandbox: Sandbox;
  provisioner: Provisioner;
}

/** What the provisioner of a sandbox that was just opened has to do. */
export interface ToPlace {
  resources: readonly RunResource[];
  removals: readonly Removal[];
}

/** Opens a sandbox on the session's disk, or on a new one. That it could not be opened is told in the log. */
export async function openSandbox(
  parts: OpenParts,
  target: OpenTarget,
): Promise<{ opened: Opened; toPlace: ToPlace }> {
  const { session, runLog, memory } = target;
  const began = performance.now();
  const disk = await diskOf(parts, target);
  const removals = await readRemovals(parts.db.write, session.id);
  const resources = await readResources(parts.db.write, session.id);
  const looks = beginLooks(parts, session, resources);
  const spec = await sandboxSpec(parts, session, disk, resources, removals);
  const report = createEgressReport(runLog, parts.log);
  const credentials = createCredentialSource(parts, session.id);
  const sandbox = await openOrTell(parts, target, async () => {
    const waits = createEnvironmentWaits(runLog, target.signal);
    const request = { sessionId: session.id, disk, signal: target.signal, onEgressDenied: report, waits };
    const own = await sessionSystem(parts.db.read, parts.systems, request).finally(() => waits.end());
    if (own.fault !== null) await tellFault({ ...target, mask: parts.mask }, own.fault);
    const skills = await parts.skills.mounted(await readPinnedSkills(parts.db.write, session));
    const directories = [...skills, ...(await memory.directories(disk.path))];
    const system = own.system === undefined ? {} : { system: own.system };
    const outside = { credentials, onEgressDenied: report };
    const open = () => parts.engine.open({ ...spec, ...system, directories, ...outside });
    return parts.systems === null ? await open() : await openOnSystem(own, disk, open);
  });
  await tellStarted(runLog, sandbox, Math.round(performance.now() - began) / 1000);
  const opened = { sandbox, provisioner: provisionerOf(parts, target, sandbox, spec.files, looks) };
  return { opened, toPlace: { resources: resources.filter(isPending), removals } };
}

/** On the disk that is here, with what lies on it and nothing else, and no network: for a last look at it. */
export async function openBareSandbox(parts: OpenParts, target: OpenTarget): Promise<Opened> {
  const { session, memory } = target;
  const disk = await diskOf(parts, target);
  const resources = await readResources(parts.db.write, session.id);
  const stores = resources.filter(({ type }) => type === "memory_store");
  const spec = await sandboxSpec(parts, session, disk, stores);
  const sandbox = await openOrTell(parts, target, () =>
    parts.engine.open({ ...spec, egress: { mode: "limited", hosts: [] } }),
  );
  if (stores.every(({ ready }) => ready)) await memory.catchUp(async () => sandbox);
  return { sandbox, provisioner: provisionerOf(parts, target, sandbox, []) };
}

/** What the hosts of the repositories show now is asked while the sandbox is opened. */
function beginLooks(
  { secrets, templates }: OpenParts,
  { id }: RunSession,
  resources: readonly RunResource[],
): BegunLooks {
  const pending = resources.filter(isRepository).filter(isPending);
  const look = async (one: RunRepository): Promise<Look> => {
    try {
      return await templates.look(id, openRepository(secrets, one));
    } catch {
      // What is wrong with it is told when it is put in place.
      return null;
    }
  };
  const looks = new BegunLooks();
  for (const one of pending) looks.begin(one.id, look(one));
  return looks;
}

async function diskOf({ db, disks }: OpenParts, { lease, runLog }: OpenTarget): Promise<Disk> {
  return await claimDisk(db.write, lease, disks, () => runLog.appendReclaimed("lost"));
}

async function openOrTell(
  { log }: OpenParts,
  { session, runLog, signal }: OpenTarget,
  open: () => Promise<Sandbox>,
): Promise<Sandbox> {
  try {
    return await open();
  } catch (error) {
    if (signal.aborted) throw error;
    log.error({ err: error, session: session.id }, "a sandbox could not be opened");
    const message =
      error instanceof DiskLimitError || error instanceof ImageError
        ? error.message
        : "The session's sandbox could not be opened.";
    const retry_status = { type: "terminal" as const };
    await runLog.append([
      { event: { type: "session.error", error: { type: "sandbox_error", message, retry_status } } },
    ]);
    throw error;
  }
}

/** A sandbox that cannot be told of is not ours to keep. */
async function tellStarted(runLog: RunLog, sandbox: Sandbox, seconds: number): Promise<void> {
  try {
    await runLog.append([{ event: { type: "session.container_started", seconds } }]);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

function provisionerOf(
  parts: OpenParts,
  { lease, runLog, memory, notes, onWantsReopen }: OpenTarget,
  sandbox: Sandbox,
  mounted: readonly MountedFile[],
  looks = new BegunLooks(),
): Provisioner {
  return createProvisioner(parts, { lease, sandbox, runLog, memory, notes, mounted, looks, onWantsReopen });
}
