import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { LogEntry, Model } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { newUuid } from "@berth/contract";
import { createGuardedFetch, type EgressPolicy } from "@berth/egress";
import {
  type Command,
  type CommandResult,
  type MountedFile,
  type Sandbox,
  type SandboxEngine,
  SandboxError,
  type SandboxSpec,
} from "@berth/sandbox";
import { openDiskBlobs } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import type { Host } from "@berth/store/leases";
import { openSessionHub, type SessionHub } from "@berth/store/notify";
import { SecretBox } from "@berth/store/secrets";
import { appendInputs, linkKey } from "@berth/store/session-log";
import { silentLog } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import type { Claimant } from "../src/lease/claim-runs.ts";
import { LIST_SCRIPT } from "../src/outputs/list-outputs.ts";
import { RepositorySnapshots } from "../src/repositories/snapshots/repository-snapshots.ts";
import { Worker, type WorkerOptions } from "../src/session/worker.ts";
import { SkillDirectories } from "../src/skills/skill-directories.ts";
import { LEASE_PROGRAM } from "./lease-program.ts";

/**
 * An engine that records what is open, and whose commands do nothing except in these cases:
 *
 * - `hang` in the script waits until it is stopped.
 * - `linger` waits until the same text is emitted as `go`, or the sandbox is closed.
 * - `die` closes the sandbox.
 * - `fail` as standard input makes the command exit with status 1.
 *
 * A file that is read counts as its script.
 */
export interface ScriptedEngine extends SandboxEngine {
  /** Commands in the order in which they started, each with its variables. */
  readonly commands: { script: string; environment: Readonly<Record<string, string>>; session: string }[];
  /** The number of open sandboxes by disk. */
  readonly openDisks: Map<string, number>;
  /** Disks that were opened twice at a time. */
  readonly overlaps: string[];
  /** Emits `command` and `closed`; a test emits `go`. */
  readonly events: EventEmitter;
  readonly specs: SandboxSpec[];
  /** Policies that were set on open sandboxes. */
  readonly policies: EgressPolicy[];
  /** Files that were placed in an open sandbox. */
  readonly placed: MountedFile[];
  /** Changes of files in open sandboxes: `place <path>` and `remove <path>`. */
  readonly fileSteps: string[];
  /** Whether `placeFile` and `removeFile` return false, because only a fresh sandbox can change the file. */
  failsToPlace: boolean;
  failsToOpen: boolean;
  /** How many of the next listings of outputs close their sandbox instead. */
  diesAtListings: number;
}

export function scriptedEngine(): ScriptedEngine {
  const events = new EventEmitter().setMaxListeners(0);
  const engine: ScriptedEngine = {
    name: "scripted",
    commands: [],
    openDisks: new Map(),
    overlaps: [],
    events,
    specs: [],
    policies: [],
    placed: [],
    fileSteps: [],
    failsToPlace: false,
    failsToOpen: false,
    diesAtListings: 0,
    probe: async () => [],
    diskBytes: async () => null,
    takeChanges: async () => false,
    takeSnapshotChanges: async () => false,
    sweep: async () => [],
    close: async () => undefined,
    async open(spec) {
      if (engine.failsToOpen) throw new SandboxError("It cannot be opened.");
      mkdirSync(spec.disk, { recursive: true });
      engine.specs.push(spec);
      const already = engine.openDisks.get(spec.disk) ?? 0;
      if (already > 0) engine.overlaps.push(spec.disk);
      engine.openDisks.set(spec.disk, already + 1);
      return scriptedSandbox(engine, spec);
    },
  };
  return engine;
}

function scriptedSandbox(engine: ScriptedEngine, spec: SandboxSpec): Sandbox {
  const closed = Promise.withResolvers<void>();
  let open = true;
  const sandbox: Sandbox = {
    id: spec.id,
    closed: closed.promise,
    async run(command) {
      if (command.script === LIST_SCRIPT && engine.diesAtListings > 0) {
        engine.diesAtListings--;
        await sandbox.close();
      }
      if (command.script === LIST_SCRIPT)
        return { ...result(open ? "exit" : "closed"), output: Buffer.from("") };
      // Nothing is stored of shells and processes between sandboxes.
      if (command.script.includes("/mnt/session/shells")) return result(open ? "exit" : "closed");
      engine.commands.push({
        script: command.script,
        environment: command.environment ?? {},
        session: spec.id,
      });
      engine.events.emit("command", command.script);
      const text = command.environment?.FILE ?? command.script;
      if (text.includes("die")) await sandbox.close();
      if (!open) return result("closed");
      if (text.includes("linger")) return await lingering(engine.events, text, closed.promise);
      if (new TextDecoder().decode(command.stdin) === "fail") return { ...result("exit"), exitCode: 1 };
      return text.includes("hang") ? await hanging(command, closed.promise) : result("exit");
    },
    async placeFile(file) {
      if (engine.failsToPlace) return false;
      engine.placed.push(file);
      engine.fileSteps.push(`place ${file.target}`);
      return true;
    },
    async removeFile(target) {
      if (engine.failsToPlace) return false;
      engine.fileSteps.push(`remove ${target}`);
      return true;
    },
    mountSnapshot: async () => false,
    unmountSnapshot: async () => false,
    isUntouched: async () => false,
    connect: async () => ({ ok: false, reason: "not_listening" }),
    setEgress: (policy) => void engine.policies.push(policy),
    processes: async () => 0,
    terminate: async () => undefined,
    async close() {
      if (!open) return;
      open = false;
      engine.openDisks.set(spec.disk, (engine.openDisks.get(spec.disk) ?? 1) - 1);
      closed.resolve();
      engine.events.emit("closed");
    },
  };
  return sandbox;
}

async function hanging({ signal }: Command, closed: Promise<void>): Promise<CommandResult> {
  const aborted = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => aborted.resolve(), { once: true });
  if (signal?.aborted === true) aborted.resolve();
  return await Promise.race([
    aborted.promise.then(() => result("aborted")),
    closed.then(() => result("closed")),
  ]);
}

async function lingering(
  events: EventEmitter,
  script: string,
  closed: Promise<void>,
): Promise<CommandResult> {
  const over = Promise.withResolvers<CommandResult>();
  events.on("go", (text) => text === script && over.resolve(result("exit")));
  return await Promise.race([over.promise, closed.then(() => result("closed"))]);
}

function result(ended: CommandResult["ended"]): CommandResult {
  return {
    exitCode: ended === "exit" ? 0 : null,
    ended,
    output: Buffer.from("done\n"),
    omittedBytes: 0,
    outputFile: null,
    cwd: "/data",
  };
}

/** Objects that workers of one installation share in a test: the database, the disks, an engine, a hub. */
export interface Installation {
  db: Database;
  hub: SessionHub;
  engine: ScriptedEngine;
  disks: string;
  /** The directory of the contents of files. */
  blobs: string;
  worker(options?: Partial<WorkerOptions>): Promise<Worker>;
  send(sessionId: string, ...texts: string[]): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  /** Resolves with the log once `enough` returns true for it. */
  until(sessionId: string, enough: (log: readonly LogEntry[]) => boolean): Promise<readonly LogEntry[]>;
}

/** The host of the installation. */
export const HERE: Host = {
  id: "here",
  name: "here",
  place: "here",
  version: "test",
  role: "all",
  settings: {},
  graceMs: 120_000,
};

/** Returns a worker of the installation, for claims without one. */
export function claimant(owner: string, options: Partial<Claimant> = {}): Claimant {
  return { owner, leaseMs: 60_000, host: HERE, capacity: 32, ...options };
}

export async function installation(t: Pick<TestContext, "after">, db: Database): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), "berth-worker-"));
  const hub = await openSessionHub({ db, log: silentLog, pollMs: 500 });
  const engine = scriptedEngine();
  const blobs = await openDiskBlobs(join(directory, "blobs"));
  const workers: Worker[] = [];
  t.after(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await hub.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    db,
    hub,
    engine,
    disks: join(directory, "disks"),
    blobs: join(directory, "blobs"),
    async worker(options = {}) {
      const snapshots = await RepositorySnapshots.open({
        db,
        engine,
        log: silentLog,
        directory: { path: join(directory, "repositories"), host: "here" },
        maxBytes: 0,
        maxIdleDays: 1,
        listRefs: async () => null,
        repositoryVariables: () => ({}),
      });
      const worker = new Worker({
        db,
        hub,
        engine,
        blobs,
        log: silentLog,
        model: () => rehearsal,
        secrets: new SecretBox(Buffer.alloc(32)),
        linkKey: (linkId) => linkKey(Buffer.alloc(32), linkId),
        clone: async () => ({ commit: "0".repeat(40) }),
        repositoryVariables: () => ({}),
        systems: null,
        runtimes: null,
        runtimeVersions: null,
        skills: await SkillDirectories.open(join(directory, `skills-${newUuid()}`), blobs),
        snapshots,
        disks: { directory: join(directory, "disks"), home: "here" },
        host: HERE,
        ceilings: { cpus: 4, memory_mb: 8_192, pids: 2_048, disk_mb: 65_536 },
        outputFileBytes: 1024 ** 2,
        providers: [],
        accounts: { knows: () => false, of: async () => null },
        mcpFetch: createGuardedFetch({ allowPrivate: ["127.0.0.1"] }),
        graceMs: 200,
        leaseProgram: LEASE_PROGRAM,
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    async send(sessionId, ...texts) {
      const content = (text: string) => [{ type: "text" as const, text }];
      await appendInputs(
        db.write,
        sessionId,
        texts.map((text) => ({ type: "user.message", content: content(text) })),
      );
      hub.publish(sessionId, true);
    },
    async interrupt(sessionId) {
      await appendInputs(db.write, sessionId, [{ type: "user.interrupt" }]);
      hub.publish(sessionId, true);
    },
    until: (sessionId, enough) => untilLog(db, hub, sessionId, enough),
  };
}

/** Returns a message with steps for the rehearsal model. */
export function steps(...list: object[]): string {
  return JSON.stringify({ steps: list });
}

export function bash(command: string): object {
  return { tool: "Bash", input: { command } };
}

export function types(log: readonly LogEntry[]): string[] {
  return log.map((entry) => entry.event.type);
}

/** Returns how often the session has become idle. */
export function idles(log: readonly LogEntry[]): number {
  return types(log).filter((type) => type === "session.status_idle").length;
}

const rehearsal: Model = createRehearsalModel();

const MAX_WAIT_MS = 60_000;
/** Milliseconds. Inputs that are marked as processed without an append cause no notification. */
const LOOK_AGAIN_MS = 250;

async function untilLog(
  db: Database,
  hub: SessionHub,
  sessionId: string,
  enough: (log: readonly LogEntry[]) => boolean,
): Promise<readonly LogEntry[]> {
  const news = new EventEmitter();
  const stop = hub.subscribe(sessionId, () => news.emit("news"));
  const deadline = performance.now() + MAX_WAIT_MS;
  try {
    for (;;) {
      const changed = once(news, "news", { signal: AbortSignal.timeout(LOOK_AGAIN_MS) });
      changed.catch(() => undefined);
      const log = await readLog(db.read, sessionId);
      // The log is read page by page, so its beginning may be older than its end. Read it again.
      if (enough(log)) return await readLog(db.read, sessionId);
      if (performance.now() > deadline) {
        const events = log.map((entry) => entry.event);
        throw new Error(`The log did not reach the expected state:\n${JSON.stringify(events, null, 1)}`);
      }
      await changed.catch(() => undefined);
    }
  } finally {
    stop();
  }
}
