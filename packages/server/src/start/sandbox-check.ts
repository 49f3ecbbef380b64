import { rm } from "node:fs/promises";
import { sleep } from "@berth/concurrency";
import {
  NoRoomError,
  type Sandbox,
  type SandboxEngine,
  type SandboxSpec,
  type SandboxWait,
} from "@berth/sandbox";
import type { Logger } from "pino";

const RETRY_MS = 5_000;
/** Maximum number of reasons logged until a sandbox can be opened, since their wording may vary. */
const MAX_TOLD = 10;

/** User id of the check, below those of sessions. */
const UID = 299_997;

/**
 * Determines whether the engine can open a sandbox. Opens one of its own when first asked, and whenever a
 * session's sandbox could not be opened, until that succeeds. A failure that concerns only one session does
 * not count, nor a lack of room that others use. If nobody uses the room and its own sandbox still waits for
 * a place or its image, no session can run.
 */
export class SandboxCheck {
  readonly #engine: SandboxEngine;
  readonly #disk: string;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #checking: Promise<void> | undefined;
  #works: boolean | null = null;
  readonly #told = new Set<string>();
  /** Resolves when the first attempt has ended, successful or not. */
  readonly tried: Promise<void>;
  readonly #firstTry = Promise.withResolvers<void>();

  /** @param disk Host directory for the disk of its sandboxes; created and removed. */
  constructor(engine: SandboxEngine, disk: string, log: Logger) {
    this.#engine = engine;
    this.#disk = disk;
    this.#log = log;
    this.tried = this.#firstTry.promise;
  }

  /** False after a failure until a sandbox was opened again; null before the first attempt has ended. */
  get works(): boolean | null {
    return this.#works;
  }

  /** Opens a session's sandbox. */
  async open(spec: SandboxSpec): Promise<Sandbox> {
    try {
      return await this.#engine.open(spec);
    } catch (error) {
      if (!(error instanceof NoRoomError)) this.check();
      throw error;
    }
  }

  check(): void {
    this.#checking ??= this.#checkUntilItWorks().finally(() => {
      this.#checking = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#checking;
  }

  async #checkUntilItWorks(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#openOne();
        return this.#succeeded();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof NoRoomError) return this.#succeeded();
        this.#failed((error as Error).message, { err: error });
      } finally {
        this.#firstTry.resolve();
      }
      await sleep(RETRY_MS, signal).catch(() => undefined);
    }
  }

  #succeeded(): void {
    this.#works = true;
    this.#told.clear();
  }

  #failed(reason: string, fields: object): void {
    this.#works = false;
    if (this.#told.has(reason) || this.#told.size === MAX_TOLD) return;
    this.#told.add(reason);
    this.#log.error(fields, "no sandbox can be opened");
  }

  /** Opens and closes a sandbox of its own. @throws NoRoomError when it waits for room that others use. */
  async #openOne(): Promise<void> {
    const crowded = new AbortController();
    const onWaiting = (wait: SandboxWait | null) => {
      if (wait === null) return;
      if (wait.othersRun) return crowded.abort();
      this.#failed(wait.reason, { why: wait.reason });
      this.#firstTry.resolve();
    };
    try {
      await this.#open(onWaiting, AbortSignal.any([this.#closing.signal, crowded.signal]));
    } catch (error) {
      throw crowded.signal.aborted ? new NoRoomError({ cause: error }) : error;
    }
  }

  async #open(onWaiting: (wait: SandboxWait | null) => void, signal: AbortSignal): Promise<void> {
    const sandbox = await this.#engine.open({
      id: `check_${process.pid}`,
      disk: this.#disk,
      temporaryDisk: true,
      uid: UID,
      limits: { memoryBytes: 64 * 1_048_576, pids: 32, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      signal,
      onWaiting,
    });
    await sandbox.close();
    await rm(this.#disk, { recursive: true, force: true });
  }
}
