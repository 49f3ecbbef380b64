import { isDeepStrictEqual } from "node:util";
import type { SandboxSpec, SandboxWait } from "../interface/spec.ts";

/** Milliseconds after which a wait is reported. */
export const TOLD_AFTER_MS = 5_000;

/**
 * The wait of a starting pod. It is reported whenever it changes, and meanwhile attempts to enter the pod are
 * held back.
 */
export class StartWait {
  readonly #onWaiting: SandboxSpec["onWaiting"];
  #told: SandboxWait | null = null;
  #gate: PromiseWithResolvers<void> | null = null;

  constructor(onWaiting: SandboxSpec["onWaiting"]) {
    this.#onWaiting = onWaiting;
  }

  is(wait: SandboxWait): void {
    this.#gate ??= Promise.withResolvers();
    if (isDeepStrictEqual(wait, this.#told)) return;
    this.#told = wait;
    this.#onWaiting?.(wait);
  }

  over(): void {
    this.#gate?.resolve();
    this.#gate = null;
    if (this.#told === null) return;
    this.#told = null;
    this.#onWaiting?.(null);
  }

  /** Resolves when nothing is waited for. */
  async held(): Promise<void> {
    await this.#gate?.promise;
  }
}
