import { isDeepStrictEqual } from "node:util";
import type { Tool } from "@berth/agent";
import { orAborted } from "@berth/concurrency";
import type { Sandbox } from "@berth/sandbox";
import type { Database } from "../../db/pool.ts";
import { firstRequestAt } from "../../features/events/event-store.ts";
import { placeholderVariables, readKeptOutside } from "../credentials/placeholder-variables.ts";
import { hasDisk, reclaimDisk, removeDisk } from "../disks/disk.ts";
import { egressPolicy } from "../egress/egress-policy.ts";
import { readRemovals } from "../inputs/removal-store.ts";
import { isPending, type RunResource, readResources } from "../inputs/resource-store.ts";
import { type RunSession, readNetworking } from "../inputs/run-session.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import { type McpParts, openSessionMcp } from "../mcp/session-mcp.ts";
import { createSessionMemory, type SessionMemory } from "../memory/session-memory.ts";
import { createSessionOutputs, type OutputParts } from "../outputs/session-outputs.ts";
import type { Provisioner } from "../resources/provision.ts";
import { readSkills } from "../skills/session-skills.ts";
import { type Opened, type OpenParts, openBareSandbox, openSandbox, type ToPlace } from "./open-sandbox.ts";
import { SandboxSlot } from "./sandbox-slot.ts";
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

export interface WorkspaceParts extends OpenParts, EnvironmentParts, OutputParts, McpParts {
  db: Database;
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
  const ending = new AbortController();
  const target = { lease, session, runLog, memory, notes, signal: ending.signal, onWantsReopen };
  const slot = new SandboxSlot();
  let pending: readonly RunResource[] = [];
  let busy = 0;

  const outputs = createSessionOutputs(parts, {
    lease,
    runLog,
    notes,
    open: async () => (await slot.opened(open)).sandbox,
    openBare: async () => (await slot.opened(() => openBareSandbox(parts, target))).sandbox,
  });

  async function open(): Promise<Opened> {
    const { opened, toPlace } = await openSandbox(parts, target);
    putInPlace(opened.provisioner, toPlace);
    return opened;
  }

  function putInPlace(provisioner: Provisioner, { resources, removals }: ToPlace): void {
    busy += 1;
    provisioner.putInPlace(resources, removals).finally(() => {
      busy -= 1;
    });
  }

  async function refresh(): Promise<void> {
    const removals = await readRemovals(db.write, session.id);
    const resources = await readResources(db.write, session.id);
    await followNetworking(resources);
    const fresh = !slot.isOpen() && !(await hasDisk(db.write, lease, parts.disks));
    pending = resources.filter((resource) => isPending(fresh ? { ...resource, ready: false } : resource));
    if (slot.ended) return;
    const wasOpen = slot.isOpen();
    // What is to be removed alone opens no sandbox: it waits for the next.
    if (pending.length === 0 && (!wasOpen || removals.length === 0)) return;
    const current = await slot.opened(open).catch(() => undefined);
    // A sandbox that was open before knows only the resources of then.
    if (!wasOpen || current === undefined) return;
    current.sandbox.setEgress(egressPolicy(session, resources, parts.providers));
    putInPlace(current.provisioner, { resources: pending, removals });
  }

  /** A sandbox that is open reaches what the environment says now, not what it said when it was opened. */
  async function followNetworking(resources: readonly RunResource[]): Promise<void> {
    const networking = await readNetworking(db.read, session.id);
    if (isDeepStrictEqual(networking, session.networking)) return;
    session.networking = networking;
    (await slot.current())?.sandbox.setEgress(egressPolicy(session, resources, parts.providers));
  }

  async function close(): Promise<void> {
    const current = await slot.current();
    if (current !== undefined) await memory.beforeClose(current.sandbox);
    const collected = current === undefined ? undefined : await outputs.beforeClose(current.sandbox);
    await slot.close();
    await collected?.();
  }

  async function collectBeforeRemoval(): Promise<boolean> {
    const current = await slot.current();
    if (current !== undefined) await memory.beforeClose(current.sandbox);
    return !(await hasDisk(db.write, lease, parts.disks)) || (await outputs.beforeRemoval());
  }

  async function end(): Promise<void> {
    ending.abort(new Error("The session's workspace has ended."));
    await Promise.all([slot.end(), mcp.close()]);
  }

  return {
    memory,
    async sandbox(signal) {
      const ready = slot.opened(open).then(async ({ sandbox, provisioner }) => {
        await provisioner.settled();
        await outputs.touch();
        return sandbox;
      });
      return await orAborted(ready, signal);
    },
    mcpTools: mcp.tools,
    environment: () => readEnvironment(parts, session.id),
    async surroundings() {
      const [first, resources, skills, outside] = await Promise.all([
        firstRequestAt(db.read, session.id),
        readResources(db.read, session.id),
        readSkills(db.read, session),
        readKeptOutside(db.read, session.id),
      ]);
      const placeholders = placeholderVariables(outside, parts, resources, first);
      return surroundings(session, resources, first, skills, placeholders);
    },
    takeNotes: () => notes.splice(0),
    refresh,
    async reopenIfWanted() {
      if ((await slot.current())?.provisioner.wantsReopen()) await close();
    },
    isOpen: () => slot.isOpen() || mcp.isOpen(),
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
      await slot.close();
      if (!saved || slot.ended) return;
      await reclaimDisk(db.write, lease, parts.disks, () => runLog.appendReclaimed("inactivity"));
    },
    async remove() {
      await end();
      await removeDisk(db.write, lease, parts.disks);
    },
  };
}
