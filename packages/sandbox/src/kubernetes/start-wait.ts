import { isDeepStrictEqual } from "node:util";
import type { SandboxSpec, SandboxWait } from "../interface/spec.ts";

/** A shorter wait is not told. */
export const TOLD_AFTER_MS = 5_000;

/** The wait of a starting pod: it is told, each time that it is another one, and attempts to enter the pod are held back meanwhile. */
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

  /** Resolves at once, or when the wait is over. */
  async held(): Promise<void> {
    await this.#gate?.promise;
  }
}
