import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { NoRoomError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { waitsFor } from "./pod-status.ts";

type MakeRoom = SandboxSpec["makeRoom"];

/** What the scheduler says where a node lacks nothing but room. */
const CROWDED = /\b(Insufficient [a-z]|Too many pods|exceed max volume count)/;
const WAIT_MS = 90_000;
const LOOK_MS = 1_000;
/** The API server knows a moment later what has become free. */
const ASK_MS = 3_000;

/** Tries to open a sandbox until there is room for it, a minute and a half at most and while somebody needs it. */
export async function onceRoomIsMade<T>(
  { makeRoom, signal }: Pick<SandboxSpec, "makeRoom" | "signal">,
  open: () => Promise<T>,
): Promise<T> {
  const late = performance.now() + WAIT_MS;
  let asked = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isOver = signal?.aborted === true || performance.now() > late;
      if (!(error instanceof NoRoomError) || makeRoom === undefined || isOver) throw error;
    }
    if (performance.now() - asked > ASK_MS) {
      await makeRoom();
      asked = performance.now();
    }
    await delay(LOOK_MS, undefined, { ...(signal && { signal }) }).catch(() => {});
  }
}

/** Asks for room as long as a pod finds none on any node. */
export class PodRoom {
  readonly #makeRoom: MakeRoom;
  readonly #signal: AbortSignal;
  #isCrowded = false;
  #asking: Promise<void> | undefined;

  /** @param signal aborts when the pod need not start any more. */
  constructor(makeRoom: MakeRoom, signal: AbortSignal) {
    this.#makeRoom = makeRoom;
    this.#signal = signal;
  }

  /** What is known of the pod now. */
  saw(pod: V1Pod): void {
    this.#isCrowded = CROWDED.test(waitsFor(pod));
    if (!this.#isCrowded) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  /** When the pod was seen last. */
  get isCrowded(): boolean {
    return this.#isCrowded;
  }

  async #ask(): Promise<void> {
    while (this.#isCrowded && !this.#signal.aborted) {
      await this.#makeRoom?.();
      await delay(ASK_MS, undefined, { signal: this.#signal }).catch(() => {});
    }
  }
}
