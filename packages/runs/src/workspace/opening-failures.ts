import { LeaseLost } from "@berth/agent";
import {
  DiskLimitError,
  ImageError,
  NoRoomError,
  RuntimeClassError,
  SandboxError,
  WaitOverError,
} from "@berth/sandbox";
import type { DiskOrigin } from "./disk-origin.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";

/** Opens a sandbox, and decides how a failure is handled. */
export type Attempt = <T>(open: () => Promise<T>) => Promise<T>;

/** Thrown when no sandbox can be opened on a disk of the pool. */
export class UnfitDisk extends Error {
  constructor(cause: SandboxError) {
    super("A disk of the pool cannot be used.", { cause });
  }
}

/** Errors whose message is a sentence for users. */
const FOR_USERS = [DiskLimitError, ImageError, NoRoomError, RuntimeClassError, WaitOverError];

/** Handles failures to open the sandbox of a session. */
export class OpeningFailures {
  readonly #log: OpenDeps["log"];
  readonly #target: OpenTarget;

  constructor({ log }: Pick<OpenDeps, "log">, target: OpenTarget) {
    this.#log = log;
    this.#target = target;
  }

  /** Reports a failure in the session's log, and throws it again. */
  async orReport<T>(open: () => Promise<T>): Promise<T> {
    const { runLog, signal } = this.#target;
    try {
      return await open();
    } catch (error) {
      if (signal.aborted) throw error;
      this.#log.error({ err: error }, "a sandbox could not be opened");
      const message = isForUsers(error) ? error.message : "The session's sandbox could not be opened.";
      const retry_status = { type: "terminal" as const };
      await runLog.append([
        { event: { type: "session.error", error: { type: "sandbox_error", message, retry_status } } },
      ]);
      throw error;
    }
  }

  /**
   * As `orReport`, for a disk of the pool. @throws UnfitDisk instead of the engine's error about the disk.
   */
  async orUnfit<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      const isUnfit = error instanceof SandboxError && !(error instanceof NoRoomError);
      if (isUnfit && !this.#target.signal.aborted) throw new UnfitDisk(error);
      return await this.orReport<T>(() => Promise.reject(error));
    }
  }

  /** Returns null when the disk could not be made from its source; then the disk was deleted. */
  async unlessUnmade<T>(origin: DiskOrigin | null, open: () => Promise<T>): Promise<T | null> {
    const { disk, signal } = this.#target;
    try {
      return await open();
    } catch (error) {
      if (!origin?.source || signal.aborted || error instanceof LeaseLost || isForUsers(error)) throw error;
      await origin.giveUp(error);
      await disk.discard();
      return null;
    }
  }
}

function isForUsers(error: unknown): error is Error {
  return FOR_USERS.some((kind) => error instanceof kind);
}
