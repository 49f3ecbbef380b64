import { isDeepStrictEqual } from "node:util";
import type { Draft, Tool } from "@berth/agent";
import { orAborted } from "@berth/concurrency";
import { type Grace, recordProcesses, type Sandbox, SandboxError } from "@berth/sandbox";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { type SavesDeps, SessionSaves } from "../disks/saves/session-saves.ts";
import { SessionDisk } from "../disks/session-disk.ts";
import { egressPolicy } from "../egress/egress-policy.ts";
import { markExhaustedDue } from "../inputs/placement-store.ts";
import {
  isExhausted,
  isPending,
  onNewDisk,
  type RunResource,
  readResources,
} from "../inputs/resource-store.ts";
import type { RunSession, SessionInputs } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import { type McpDeps, SessionMcp } from "../mcp/session-mcp.ts";
import { SessionMemory } from "../memory/session-memory.ts";
import { type OutputDeps, SessionOutputs } from "../outputs/session-outputs.ts";
import { Activity } from "../repositories/activity.ts";
import { describeWorkspace } from "./describe-workspace.ts";
import { KnownInputs } from "./known-inputs.ts";
import type { OpenDeps, OpenedSandbox, ToPlace } from "./opening.ts";
import { PlaceWait } from "./place-wait.ts";
import type { Provisioner } from "./provisioner.ts";
import { SandboxOpener } from "./sandbox-opener.ts";
import { SandboxSlot } from "./sandbox-slot.ts";
import { writableDirectories } from "./sandbox-spec.ts";
import { forgetTold } from "./untold-notes.ts";

export interface WorkspaceDeps
  extends Omit<OpenDeps, "metrics">,
    OutputDeps,
    McpDeps,
    Omit<SavesDeps, "metrics" | "snapshots"> {
  db: Database;
  metrics: OpenDeps["metrics"] & SavesDeps["metrics"];
  credentials: SessionCredentials;
}

/** Milliseconds that processes have to end by themselves before their sandbox is closed. */
const GRACE_MS = 10_000;

/** Notifications of a workspace to the holder of its session. */
export interface WorkspaceEvents {
  /** Called when `reopenIfNeeded` has something to do. */
  onNeedsReopen(): void;
  /** Called when no work for the sandbox is left, or all of it waits. */
  onQuiet(): void;
}

/**
 * The sandbox and the disk of a session while its lease is held.
 *
 * Lifecycle: it begins closed. `refresh` opens the sandbox in the background when something is to be put in
 * place, and `sandbox` when a tool needs it. When the sandbox dies, or after `close`, the next of these opens
 * another on the same disk; after `reclaim`, on a new one. After `end` or `remove` nothing is opened.
 */
export class SessionWorkspace {
  /**
   * The session as of the last `refresh`. It is one object for the lifetime of the workspace, so its users
   * see changes of the environment.
   */
  readonly session: RunSession;
  readonly memory: SessionMemory;
  readonly #deps: WorkspaceDeps;
  readonly #lease: Lease;
  readonly #runLog: RunLog;
  readonly #notes: string[] = [];
  readonly #ending = new AbortController();
  readonly #slot = new SandboxSlot();
  readonly #activity: Activity;
  readonly #wait: PlaceWait;
  readonly #disk: SessionDisk;
  readonly #opener: SandboxOpener;
  readonly #mcp: SessionMcp;
  readonly #outputs: SessionOutputs;
  readonly #saves: SessionSaves;
  readonly #inputs: KnownInputs;
  #pending: readonly RunResource[] = [];
  #learning: Promise<void> | undefined;
  #provisioning = 0;
  /** The last replacement of a sandbox by one with another image. */
  #replacing: { former: Provisioner; done: Promise<void> } | undefined;

  /** @param inputs as they were when the lease was claimed, or later. */
  constructor(
    deps: WorkspaceDeps,
    lease: Lease,
    inputs: SessionInputs,
    runLog: RunLog,
    { onNeedsReopen, onQuiet }: WorkspaceEvents,
  ) {
    const notes = this.#notes;
    this.#deps = deps;
    this.#lease = lease;
    this.#runLog = runLog;
    this.session = { ...inputs.session };
    this.#inputs = new KnownInputs(deps.db.read, this.session, inputs);
    this.#activity = new Activity(onQuiet);
    this.#wait = new PlaceWait(runLog, this.#activity, this.#ending.signal);
    const wait = this.#wait;
    this.#disk = new SessionDisk(deps.db.write, lease, deps.disks);
    this.#mcp = new SessionMcp(deps, lease, this.session, runLog);
    // A session's memory stores are those that it was created with.
    const stores = inputs.resources.filter((resource) => resource.type === "memory_store");
    this.memory = new SessionMemory(deps, { lease, notes, stores });
    this.#opener = new SandboxOpener(deps, {
      lease,
      session: this.session,
      runLog,
      disk: this.#disk,
      memory: this.memory,
      skills: () => this.#inputs.skills(),
      notes,
      get signal() {
        return wait.signal;
      },
      wait,
      activity: this.#activity,
      onNeedsReopen,
    });
    this.#outputs = new SessionOutputs(deps, {
      lease,
      runLog,
      notes,
      open: async () => (await this.#wait.unlessWaiting(this.#opened()))?.sandbox ?? null,
      openBare: async () => (await this.#openedBare()).sandbox,
    });
    this.#saves = new SessionSaves(deps, {
      lease,
      runLog,
      read: async () => {
        const resources = await readResources(deps.db.write, lease.sessionId);
        return { resources, writable: writableDirectories(resources) };
      },
      secrets: () => this.secrets(),
    });
  }

  /**
   * Returns the open sandbox, with everything in place that could be put there. Rejects with the signal's
   * reason when it aborts, and with a `SandboxError` when no sandbox can be opened, which is then in the log.
   */
  async sandbox(signal: AbortSignal): Promise<Sandbox> {
    const ready = this.#settled().then(async (sandbox) => {
      await this.#outputs.touch();
      this.#saves.touch();
      return sandbox;
    });
    return await this.#wait.needed(() => orAborted(ready, signal));
  }

  /** Returns whether a call would get a sandbox without waiting for one to be opened. */
  hasSandbox(): boolean {
    return this.#slot.isThere();
  }

  /**
   * Returns the sandbox for reads of the disk. Opens one if none is open, and does not wait for resources
   * that are being put in place. Returns null when the session has no disk here. Rejects as `sandbox` does.
   */
  async sandboxOnDisk(): Promise<Sandbox | null> {
    if (!this.#slot.isOpen() && !(await this.#disk.exists())) return null;
    return (await this.#opened()).sandbox;
  }

  /**
   * Returns the variables for a command that starts now. They are read for each command, so that a rotated
   * secret reaches the next one.
   */
  async environment(): Promise<Record<string, string>> {
    const current = await this.#current();
    return { ...current?.provisioner.variables, ...(await this.#deps.credentials.commandVariables()) };
  }

  /** Returns the secrets, or placeholders for them, that commands were given so far. */
  secrets(): string[] {
    return this.#deps.credentials.givenSecrets();
  }

  /** Returns the tools of the agent's MCP servers; see `SessionMcp`. */
  async mcpTools(signal: AbortSignal): Promise<Tool[]> {
    return await this.#mcp.tools(signal);
  }

  /** Returns the MCP servers' instructions for the system prompt. Call it after `mcpTools`. */
  mcpInstructions(): string {
    return this.#mcp.instructions();
  }

  /** Makes the session's secrets known to `mask`, since a former run may have left them on the disk. */
  async learnSecrets(resources: readonly RunResource[]): Promise<void> {
    this.#learning ??= this.#deps.credentials.learn(resources);
    await this.#learning.catch((error: unknown) => {
      this.#learning = undefined;
      throw error;
    });
  }

  /** Returns the section of the system prompt about the session. */
  async describe(): Promise<string> {
    const [firstRequest, resources, skills] = await Promise.all([
      this.#inputs.firstRequestAt(),
      // Resources that could not be put in place before the first request are in the description.
      this.#inputs.resources(),
      this.#inputs.skills(),
    ]);
    const placeholders = await this.#deps.credentials.placeholderVariables(resources, firstRequest);
    return describeWorkspace(this.session, resources, firstRequest, skills, placeholders);
  }

  /** Returns notes that the model has not seen, about failures and later changes, each note once. */
  takeNotes(): string[] {
    return this.#notes.splice(0);
  }

  /**
   * Handles appended results: notes of former sandboxes that they contain are not shown again. Must be called
   * once the results are in the log.
   */
  async appended(drafts: readonly Draft[]): Promise<void> {
    await forgetTold(drafts, async () => (await this.#current())?.sandbox);
    const rejected = drafts.flatMap(({ event }) =>
      event.type === "agent.content_omitted" ? event.omitted : [],
    );
    const names = new Set(rejected.flatMap(({ names = [] }) => names));
    if (names.size > 0) await this.#mcp.rejected(names);
  }

  /** Puts missing resources in place in the background, and applies the environment's present networking. */
  async refresh(inputs?: SessionInputs): Promise<void> {
    const { resources, removals } = await this.#take(inputs ?? (await this.#inputs.read()));
    const isNew = !this.#slot.isOpen() && !(await this.#disk.existsAt(this.#inputs.latest));
    this.#pending = (isNew ? resources.map(onNewDisk) : resources).filter(isPending);
    if (this.#slot.ended) return;
    const wasOpen = this.#slot.isOpen();
    // Removals alone open no sandbox: they wait for the next one.
    if (this.#pending.length === 0 && (!wasOpen || removals.length === 0)) return;
    const pending = this.#pending;
    const placing = this.#opened().then(
      ({ sandbox, provisioner }) => {
        // A sandbox that was open before has only the former resources.
        if (!wasOpen) return;
        sandbox.setEgress(egressPolicy(this.session, resources, this.#deps.providers));
        this.#putInPlace(provisioner, { resources: pending, removals });
      },
      () => undefined,
    );
    await this.#wait.unlessWaiting(placing);
  }

  /** Tries repositories once more whose attempts were exhausted before the turn that begins. */
  async retryExhausted(): Promise<void> {
    if (!this.#inputs.latest.resources.some(isExhausted)) return;
    await markExhaustedDue(this.#deps.db.write, this.#lease);
    await this.refresh();
  }

  /**
   * Closes a sandbox that lacks the mount point of a file; the next one is opened with it. Not called while a
   * turn runs. Returns whether it was closed.
   */
  async reopenIfNeeded(): Promise<boolean> {
    const current = await this.#current();
    const needed = current?.provisioner.needsReopen() ?? false;
    if (needed) await this.#closeSandbox();
    return needed;
  }

  /** Aborts when the workspace ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  hasEnded(): boolean {
    return this.#slot.ended;
  }

  /** Returns whether it has a sandbox, or a connection to an MCP server. */
  isOpen(): boolean {
    return this.#slot.isOpen() || this.#mcp.isOpen();
  }

  /** Returns the sandbox if it is open, with or without everything in place. Opens none. */
  async openSandbox(): Promise<Sandbox | null> {
    return this.#slot.isThere() ? ((await this.#current())?.sandbox ?? null) : null;
  }

  /** Returns whether a sandbox is open in which processes run that commands left. */
  async hasProcesses(): Promise<boolean> {
    const current = await this.#current();
    return current !== undefined && (await current.sandbox.processes().catch(() => 0)) > 0;
  }

  /** Returns whether there is work for the sandbox that does not only wait. */
  isWorking(): boolean {
    return this.#activity.isWorking();
  }

  /** Returns whether there is work for the sandbox, and all of it waits. */
  onlyWaits(): boolean {
    return this.#activity.onlyWaits();
  }

  /** Returns whether a sandbox is being opened, and only waits for a place or its image. */
  waitsForPlace(): boolean {
    return this.#wait.isWaiting;
  }

  /** Returns whether resources are being put in place, or wait for that. */
  isBusy(): boolean {
    return this.#provisioning > 0;
  }

  /** Returns whether resources are missing that will be tried. */
  hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Saves the outputs of this turn's commands; see `SessionOutputs`. */
  async collectOutputs(resumed: boolean, signal: AbortSignal): Promise<void> {
    await this.#outputs.atTurnEnd(resumed, signal);
  }

  /**
   * Saves the outputs before the disk is removed, in a new sandbox if some may not be saved yet. A sandbox
   * that waits for a place is given up, since it has written nothing to the disk. Returns whether the disk
   * may be removed.
   */
  async collectBeforeRemoval(hurry?: AbortSignal): Promise<boolean> {
    this.#wait.giveUp();
    const current = await this.#slot.current();
    if (current !== undefined) {
      await terminate(current.sandbox, hurry);
      await this.memory.beforeClose(current.sandbox);
    }
    return !(await this.#disk.exists()) || (await this.#outputs.beforeRemoval());
  }

  /** Saves the disk if commands ran since the last save and a sandbox is open. Never rejects. */
  async save(signal: AbortSignal): Promise<void> {
    if (this.#saves.isOff || (await this.#isEphemeral())) return;
    const current = await this.#current();
    if (current !== undefined) await this.#saves.save(current.sandbox, signal);
  }

  /**
   * Closes the sandbox, with its processes ended and its outputs saved. Another can be opened.
   *
   * @param hurry Aborts when the session has something to do, so that processes are waited for no longer.
   */
  async close(hurry?: AbortSignal): Promise<void> {
    await Promise.all([this.#closeSandbox(hurry), this.#mcp.close()]);
  }

  /** As `close`, when the session rests; removes an ephemeral disk. Another disk can be created. */
  async rest(hurry: AbortSignal): Promise<void> {
    if (!(await this.#isEphemeral())) return await this.close(hurry);
    await Promise.all([this.reclaim("inactivity", hurry), this.#mcp.close()]);
  }

  /** Closes the sandbox at once. No other is opened. */
  async end(): Promise<void> {
    this.#abort();
    await Promise.all([this.#slot.end(), this.#mcp.close()]);
  }

  /** As `end`, but leaves the sandbox to the process that continues the session, where the engine can. */
  async leave(): Promise<void> {
    this.#abort();
    await Promise.all([this.#slot.leave(), this.#mcp.close()]);
  }

  /**
   * Saves the outputs and removes the disk, unless they cannot be saved. Another disk can be created. When
   * the host is draining, the disk is saved first (if saves are on).
   */
  async reclaim(reason: "inactivity" | "drained", hurry?: AbortSignal): Promise<void> {
    const saved = await this.collectBeforeRemoval(hurry);
    await this.#slot.close();
    if (!saved || this.#slot.ended) return;
    if (reason === "drained" && !(await this.#saveBeforeRemoval())) return;
    await this.#disk.reclaim(() => this.#runLog.appendReclaimed(reason));
  }

  /** Ends the workspace and removes the disk. */
  async remove(): Promise<void> {
    await this.end();
    await this.#disk.remove();
  }

  async #isEphemeral(): Promise<boolean> {
    return this.session.workspace === "ephemeral" && (await this.#disk.isEphemeral());
  }

  #abort(): void {
    this.#ending.abort(new Error("The session's workspace has ended."));
  }

  /** Saves the disk. Returns false when it must be tried again. */
  async #saveBeforeRemoval(): Promise<boolean> {
    if (this.#saves.isOff || !(await this.#disk.exists())) return true;
    const open = async () => (await this.#opened()).sandbox;
    try {
      return await this.#saves.saveBeforeRemoval(open, this.#ending.signal);
    } catch (error) {
      // A sandbox that could not be opened is already in the log.
      if (error instanceof SandboxError) return false;
      throw error;
    } finally {
      await this.#slot.close();
    }
  }

  /** Replaces the inputs. An open sandbox gets the environment's present networking. */
  async #take(inputs: SessionInputs): Promise<SessionInputs> {
    const isSame = isDeepStrictEqual(inputs.session.networking, this.session.networking);
    this.#inputs.take(inputs, this.isBusy());
    Object.assign(this.session, inputs.session);
    if (isSame) return inputs;
    const policy = egressPolicy(this.session, inputs.resources, this.#deps.providers);
    const applied = this.#slot.current().then((current) => current?.sandbox.setEgress(policy));
    await this.#wait.unlessWaiting(applied);
    return inputs;
  }

  #opened(): Promise<OpenedSandbox> {
    return this.#slot.opened(() =>
      this.#activity.run(async () => {
        const inputs = await this.#inputs.current();
        const { opened, toPlace } = await this.#wait.during(() => this.#opener.open(inputs));
        this.#putInPlace(opened.provisioner, toPlace);
        return opened;
      }),
    );
  }

  /** Returns the open sandbox once everything is in place, in the image that the session has chosen. */
  async #settled(): Promise<Sandbox> {
    const { sandbox, provisioner } = await this.#opened();
    await provisioner.settled();
    return (await this.#openAgain(provisioner)) ? await this.#settled() : sandbox;
  }

  /**
   * Closes a sandbox in which the session has chosen an image, and opens another on the same disk, which has it.
   * Returns whether there was a need.
   */
  async #openAgain(provisioner: Provisioner): Promise<boolean> {
    if (!provisioner.choseImage) return false;
    if (this.#replacing?.former !== provisioner) {
      const replacing = { former: provisioner, done: this.#replace(provisioner) };
      this.#replacing = replacing;
      replacing.done.catch(() => {
        if (this.#replacing === replacing) this.#replacing = undefined;
      });
    }
    await this.#replacing.done;
    return true;
  }

  async #replace(former: Provisioner): Promise<void> {
    const current = await this.#slot.current();
    if (current?.provisioner === former) await this.#closeSandbox();
    if (this.#slot.ended) return;
    // The session has another image since they were read.
    this.#inputs.markStale();
    await this.#opened();
  }

  #openedBare(): Promise<OpenedSandbox> {
    return this.#slot.opened(async () => {
      const inputs = await this.#inputs.current();
      return await this.#wait.during(() => this.#opener.openBare(inputs));
    });
  }

  /** Returns the sandbox as soon as it is open, or undefined when there is none or it waits for a place. */
  async #current(): Promise<OpenedSandbox | undefined> {
    return await this.#wait.unlessWaiting(this.#slot.current());
  }

  #putInPlace(provisioner: Provisioner, { resources, removals }: ToPlace): void {
    this.#provisioning += 1;
    this.#inputs.markStale();
    provisioner
      .putInPlace(resources, removals)
      .then(() => this.#openAgain(provisioner))
      // What is wrong is in the log.
      .catch(() => undefined)
      .finally(() => {
        this.#provisioning -= 1;
      });
  }

  async #closeSandbox(hurry?: AbortSignal): Promise<void> {
    this.#wait.giveUp();
    const current = await this.#slot.current();
    if (current !== undefined) {
      await recordProcesses(current.sandbox, this.secrets()).catch(() => undefined);
      // What they write at their end is still collected.
      await terminate(current.sandbox, hurry);
      await this.memory.beforeClose(current.sandbox);
    }
    const collected = current === undefined ? undefined : await this.#outputs.beforeClose(current.sandbox);
    await this.#slot.close();
    await collected?.();
  }
}

/** Has the processes end by themselves. What fails or takes too long is left to the end of the sandbox. */
async function terminate(sandbox: Sandbox, hurry: AbortSignal | undefined): Promise<void> {
  const grace: Grace = { ms: GRACE_MS, ...(hurry === undefined ? {} : { hurry }) };
  await sandbox.terminate(grace).catch(() => undefined);
}
