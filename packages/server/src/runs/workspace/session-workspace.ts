import { isDeepStrictEqual } from "node:util";
import type { Tool } from "@berth/agent";
import type { MountedFile, Sandbox, SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import { firstRequestAt } from "../../features/events/event-store.ts";
import type { Lease } from "../lease.ts";
import { type McpParts, openSessionMcp } from "../mcp/session-mcp.ts";
import { createSessionMemory, type SessionMemory } from "../memory/session-memory.ts";
import { createSessionOutputs, type OutputParts } from "../outputs/session-outputs.ts";
import { createProvisioner, type Provisioner, type ProvisionParts } from "../resources/provision.ts";
import { type Removal, readRemovals } from "../resources/removal-store.ts";
import { isPending, type RunResource, readResources } from "../resources/resource-store.ts";
import type { RunLog } from "../run-log.ts";
import { type RunSession, readNetworking } from "../run-store.ts";
import { readPinnedSkills, readSkills } from "../skills/session-skills.ts";
import type { SkillDirectories } from "../skills/skill-directories.ts";
import { unlessAborted } from "../sleep.ts";
import { claimDisk, type DiskRoom, hasDisk, reclaimDisk, removeDisk } from "./disk.ts";
import { egressPolicy, type ProviderHosts } from "./egress-policy.ts";
import { createEgressReport } from "./egress-report.ts";
import { sandboxSpec } from "./sandbox-spec.ts";
import { type EnvironmentParts, readEnvironment } from "./session-environment.ts";
import { surroundings } from "./surroundings.ts";

/**
 * The sandbox and the disk of a session while its lease is held.
 *
 * Life story. It begins closed. `refresh` opens the sandbox in the background when something is to be put in place, and
 * `sandbox` when a tool needs it. When it dies by itself, or after `close`, the next of these opens another on the same
 * disk; after `reclaim`, on a new one. After `end` or `remove` nothing is opened any more.
 */
export interface SessionWorkspace {
  /**
   * The open sandbox, with everything in place that could be put there. Rejects with the signal's reason when it aborts,
   * and with a `SandboxError` when no sandbox can be opened, which is in the log then.
   */
  sandbox(signal: AbortSignal): Promise<Sandbox>;
  /** The memory stores that are mounted in it. */
  readonly memory: Pick<SessionMemory, "around" | "catchUp">;
  /** Variables for a command that starts now. */
  environment(): Promise<Record<string, string>>;
  /** The tools of the agent's MCP servers; see `SessionMcp`. */
  mcpTools(signal: AbortSignal): Promise<Tool[]>;
  /** For the system prompt. */
  surroundings(): Promise<string>;
  /** What the model was not told yet: what failed, and what came later. Told once. */
  takeNotes(): string[];
  /** Looks for what is not in place yet, and puts it there in the background. */
  refresh(): Promise<void>;
  /** Closes a sandbox that lacks the place of a file; the next one is opened with it. Not called while a turn runs. */
  reopenIfWanted(): Promise<void>;
  /** It has a sandbox, or a connection to an MCP server. */
  isOpen(): boolean;
  /** Something is being put in place. */
  isBusy(): boolean;
  /** Something is not in place that will be tried. */
  hasPending(): boolean;
  /** Saves what commands of this turn left as outputs; see `SessionOutputs`. */
  collectOutputs(resumed: boolean, signal: AbortSignal): Promise<void>;
  /** Saves the outputs before the disk is removed; opens a sandbox for it where something may not be saved yet. */
  collectBeforeRemoval(): Promise<boolean>;
  /** Closes the sandbox, with its outputs saved; another can be opened. */
  close(): Promise<void>;
  end(): Promise<void>;
  /** Saves the outputs and gives the disk up; where they cannot be saved, the disk stays. Another can be made. */
  reclaim(): Promise<void>;
  /** Ends it, and deletes the disk. */
  remove(): Promise<void>;
}

export interface WorkspaceParts extends ProvisionParts, EnvironmentParts, OutputParts, McpParts {
  db: Database;
  engine: SandboxEngine;
  disks: DiskRoom;
  skills: SkillDirectories;
  /** Bytes that a session's disk may take. */
  diskBytes: number;
  providers: readonly ProviderHosts[];
  log: Logger;
}

interface Opened {
  sandbox: Sandbox;
  provisioner: Provisioner;
}

export function openSessionWorkspace(
  parts: WorkspaceParts,
  lease: Lease,
  session: RunSession,
  runLog: RunLog,
  onWantsReopen: () => void,
): SessionWorkspace {
  const { db } = parts;
  const notes: string[] = [];
  const mcp = openSessionMcp(parts, lease, session, runLog);
  const memory = createSessionMemory(parts, { lease, notes });
  let opening: Promise<Opened> | undefined;
  let pending: readonly RunResource[] = [];
  let busy = 0;
  let ended = false;

  const outputs = createSessionOutputs(parts, {
    lease,
    runLog,
    notes,
    open: async () => (await opened()).sandbox,
    openBare: async () => (await opened(openBare)).sandbox,
  });

  function opened(openNow = open): Promise<Opened> {
    if (ended) return Promise.reject(new Error("The session's workspace has ended."));
    if (opening !== undefined) return opening;
    const own = openNow();
    opening = own;
    const forget = () => {
      if (opening === own) opening = undefined;
    };
    own.then(({ sandbox }) => sandbox.closed.then(forget), forget);
    return own;
  }

  async function open(): Promise<Opened> {
    const began = performance.now();
    const disk = await claimDisk(db.write, lease, parts.disks, () => runLog.appendReclaimed("lost"));
    const removals = await readRemovals(db.write, session.id);
    const resources = await readResources(db.write, session.id);
    const spec = await sandboxSpec(parts, session, disk, resources, removals);
    const report = createEgressReport(runLog, parts.log);
    const sandbox = await openOrTell(async () => {
      const skills = await parts.skills.mounted(await readPinnedSkills(db.write, session));
      const directories = [...skills, ...(await memory.directories(disk.path))];
      return await parts.engine.open({ ...spec, directories, onEgressDenied: report });
    });
    await tellStarted(sandbox, secondsSince(began));
    const provisioner = provisionerOf(sandbox, spec.files);
    putInPlace(provisioner, resources.filter(isPending), removals);
    return { sandbox, provisioner };
  }

  /** On the disk that is here, with what lies on it and nothing else, and no network: for a last look at it. */
  async function openBare(): Promise<Opened> {
    const disk = await claimDisk(db.write, lease, parts.disks, () => runLog.appendReclaimed("lost"));
    const stores = (await readResources(db.write, session.id)).filter(({ type }) => type === "memory_store");
    const spec = await sandboxSpec(parts, session, disk, stores);
    const sandbox = await openOrTell(() =>
      parts.engine.open({ ...spec, egress: { mode: "limited", hosts: [] } }),
    );
    if (stores.every(({ ready }) => ready)) await memory.catchUp(async () => sandbox);
    return { sandbox, provisioner: provisionerOf(sandbox, []) };
  }

  function provisionerOf(sandbox: Sandbox, mounted: readonly MountedFile[]): Provisioner {
    return createProvisioner(parts, { lease, sandbox, runLog, memory, notes, mounted, onWantsReopen });
  }

  /** A sandbox that cannot be told of is not ours to keep. */
  async function tellStarted(sandbox: Sandbox, seconds: number): Promise<void> {
    try {
      await runLog.append([{ event: { type: "session.container_started", seconds } }]);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  async function openOrTell(openSandbox: () => Promise<Sandbox>): Promise<Sandbox> {
    try {
      return await openSandbox();
    } catch (error) {
      parts.log.error({ err: error, session: session.id }, "a sandbox could not be opened");
      const message = "The session's sandbox could not be opened.";
      const retry_status = { type: "terminal" as const };
      await runLog.append([
        { event: { type: "session.error", error: { type: "sandbox_error", message, retry_status } } },
      ]);
      throw error;
    }
  }

  function putInPlace(
    provisioner: Provisioner,
    resources: readonly RunResource[],
    removals: readonly Removal[],
  ): void {
    busy += 1;
    provisioner.putInPlace(resources, removals).finally(() => {
      busy -= 1;
    });
  }

  async function refresh(): Promise<void> {
    const removals = await readRemovals(db.write, session.id);
    const resources = await readResources(db.write, session.id);
    await followNetworking(resources);
    const fresh = opening === undefined && !(await hasDisk(db.write, lease, parts.disks));
    pending = resources.filter((resource) => isPending(fresh ? { ...resource, ready: false } : resource));
    if (ended) return;
    const known = opening;
    // What is to be removed alone opens no sandbox: it waits for the next.
    if (pending.length === 0 && (known === undefined || removals.length === 0)) return;
    const current = await settled(opened());
    // A sandbox that was open before knows only the resources of then.
    if (known === undefined || current === undefined) return;
    current.sandbox.setEgress(egressPolicy(session, resources, parts.providers));
    putInPlace(current.provisioner, pending, removals);
  }

  /** A sandbox that is open reaches what the environment says now, not what it said when it was opened. */
  async function followNetworking(resources: readonly RunResource[]): Promise<void> {
    const networking = await readNetworking(db.read, session.id);
    if (isDeepStrictEqual(networking, session.networking)) return;
    session.networking = networking;
    (await settled(opening))?.sandbox.setEgress(egressPolicy(session, resources, parts.providers));
  }

  async function close(): Promise<void> {
    const current = await settled(opening);
    if (current !== undefined) await memory.beforeClose(current.sandbox);
    const collected = current === undefined ? undefined : await outputs.beforeClose(current.sandbox);
    await closeNow();
    await collected?.();
  }

  async function closeNow(): Promise<void> {
    const closing = opening;
    opening = undefined;
    await (await settled(closing))?.sandbox.close();
  }

  async function collectBeforeRemoval(): Promise<boolean> {
    const current = await settled(opening);
    if (current !== undefined) await memory.beforeClose(current.sandbox);
    return !(await hasDisk(db.write, lease, parts.disks)) || (await outputs.beforeRemoval());
  }

  async function end(): Promise<void> {
    ended = true;
    await Promise.all([closeNow(), mcp.close()]);
  }

  return {
    memory,
    async sandbox(signal) {
      const ready = opened().then(async ({ sandbox, provisioner }) => {
        await provisioner.settled();
        await outputs.touch();
        return sandbox;
      });
      return await unlessAborted(ready, signal);
    },
    mcpTools: mcp.tools,
    environment: () => readEnvironment(parts, session.id),
    async surroundings() {
      const first = await firstRequestAt(db.read, session.id);
      const [resources, skills] = await Promise.all([
        readResources(db.read, session.id),
        readSkills(db.read, session),
      ]);
      return surroundings(session, resources, first, skills);
    },
    takeNotes: () => notes.splice(0),
    refresh,
    async reopenIfWanted() {
      if ((await settled(opening))?.provisioner.wantsReopen()) await close();
    },
    isOpen: () => opening !== undefined || mcp.isOpen(),
    isBusy: () => busy > 0,
    hasPending: () => pending.length > 0,
    collectOutputs: outputs.atTurnEnd,
    collectBeforeRemoval,
    async close() {
      await Promise.all([close(), mcp.close()]);
    },
    end,
    async reclaim() {
      const saved = await collectBeforeRemoval();
      await closeNow();
      if (!saved || ended) return;
      await reclaimDisk(db.write, lease, parts.disks, () => runLog.appendReclaimed("inactivity"));
    },
    async remove() {
      await end();
      await removeDisk(db.write, lease, parts.disks);
    },
  };
}

function secondsSince(began: number): number {
  return Math.round(performance.now() - began) / 1000;
}

/** The value, or undefined when there is none or it was rejected. */
async function settled<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  return await promise?.catch(() => undefined);
}
