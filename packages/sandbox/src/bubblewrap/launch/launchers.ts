import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Cgroup, Cgroups } from "../../host/cgroup/cgroups.ts";
import { handlesOf } from "./child-handles.ts";
import { launcherArguments } from "./launch-program.ts";

/**
 * Descriptors of a launcher beside its standard streams. All are pipes except the first, which is the system
 * call filter.
 */
export const DESCRIPTORS = { seccomp: 3, arguments: 4, steps: 5, info: 6, guard: 7 } as const;

/** Milliseconds after a sandbox was opened; by then its first command has usually run. */
const PREPARE_MS = 500;
/**
 * Milliseconds that a waiting process is kept. Sessions tend to start together; in between it would only take
 * memory.
 */
const KEPT_MS = 60_000;

/** A process that waits for its steps, in its own control group, which has no limits yet. */
export interface Launcher {
  child: ChildProcess;
  cgroup: Cgroup;
  /**
   * Kills the process, whatever program it has become, and removes the group. Rejects when a process still
   * lives after eight seconds.
   */
  end(): Promise<void>;
}

export interface LauncherOptions {
  perl: string;
  /** Path of the system call filter. */
  filter: string;
  cgroups: Pick<Cgroups, "create">;
  /** Prefix of the groups' names. */
  owner: string;
}

/**
 * Starts processes that run `launch.pl`. While sandboxes are being opened, one waits for its steps. So no
 * sandbox waits for its control group, nor until a process as large as this one has started a program.
 */
export class Launchers {
  readonly #options: LauncherOptions;
  #count = 0;
  #ready: Promise<Launcher | null> = Promise.resolve(null);
  #preparing: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /** Returns a process, the waiting one if there is one. Rejects with an `Error` when none can be started. */
  async take(): Promise<Launcher> {
    const ready = this.#takeReady();
    clearTimeout(this.#preparing);
    // Without root, it would count towards the process limit of this user's sandboxes.
    if (process.getuid?.() === 0) this.#preparing = setTimeout(() => this.#prepare(), PREPARE_MS).unref();
    const launcher = await ready;
    if (launcher === null) return this.#start();
    if (!isRunning(launcher.child)) {
      await launcher.end().catch(() => {});
      return this.#start();
    }
    for (const one of handlesOf(launcher.child)) one.ref();
    return launcher;
  }

  /** Ends the waiting process. */
  async close(): Promise<void> {
    clearTimeout(this.#preparing);
    clearTimeout(this.#ending);
    await (await this.#takeReady())?.end().catch(() => {});
  }

  #takeReady(): Promise<Launcher | null> {
    const ready = this.#ready;
    this.#ready = Promise.resolve(null);
    return ready;
  }

  #prepare(): void {
    this.#ready = this.#start().then(
      (launcher) => {
        for (const one of handlesOf(launcher.child)) one.unref();
        return launcher;
      },
      // The next `take` starts a process itself and reports the error.
      () => null,
    );
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => void this.close(), KEPT_MS).unref();
  }

  async #start(): Promise<Launcher> {
    const { cgroups, owner } = this.#options;
    const name = `${owner}.${(++this.#count).toString(36)}-${process.hrtime.bigint().toString(36)}`;
    const cgroup = await cgroups.create(name);
    try {
      const child = this.#spawn(cgroup.processFiles);
      const guard = pipeOf<Writable>(child, DESCRIPTORS.guard);
      guard.on("error", () => {});
      child.once("exit", () => guard.destroy());
      await once(child, "spawn");
      child.on("error", () => {});
      const end = async () => {
        child.kill("SIGKILL");
        await cgroup.destroy();
      };
      return { child, cgroup, end };
    } catch (error) {
      await cgroup.destroy().catch(() => {});
      throw error;
    }
  }

  #spawn(processFiles: readonly string[]): ChildProcess {
    const { perl, filter: path } = this.#options;
    const guard = String(DESCRIPTORS.guard);
    const join = processFiles.flatMap((file) => ["join", file]);
    const filter = openSync(path, "r");
    try {
      return spawn(perl, launcherArguments(["keep", guard, "guard", guard, ...join], DESCRIPTORS.steps), {
        cwd: "/",
        env: {},
        stdio: ["pipe", "pipe", "pipe", filter, "pipe", "pipe", "pipe", "pipe"],
      });
    } finally {
      closeSync(filter);
    }
  }
}

/** Returns a stream of a launcher by its descriptor. */
export function pipeOf<Stream>(child: ChildProcess, descriptor: number): Stream {
  return (child.stdio as readonly unknown[])[descriptor] as Stream;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
