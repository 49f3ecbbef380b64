import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { NoRoomError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { waitsFor } from "./pod-status.ts";
import { StartWait, TOLD_AFTER_MS } from "./start-wait.ts";

type MakeRoom = SandboxSpec["makeRoom"];

/** The scheduler's words when nodes lack nothing but room. */
const CROWDED = /\b(Insufficient [a-z]|Too many pods|exceed max volume count)/;
const WAIT_MS = 90_000;
const LOOK_MS = 1_000;
/** Milliseconds; the API server learns a moment later what has become free. */
const ASK_MS = 3_000;

/**
 * Tries to open a sandbox until there is room for it, the signal aborts, or the time is over.
 *
 * @param placeMs Milliseconds to wait when the spec has `onWaiting`; otherwise at most 90 seconds.
 * @param othersRun Whether other sandboxes occupy the room.
 */
export async function onceRoomIsMade<T>(
  { makeRoom, onWaiting, signal }: Pick<SandboxSpec, "makeRoom" | "onWaiting" | "signal">,
  { placeMs, othersRun }: { placeMs: number; othersRun: () => Promise<boolean> },
  open: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const late = began + (onWaiting === undefined ? Math.min(placeMs, WAIT_MS) : placeMs);
  const isPatient = makeRoom !== undefined || onWaiting !== undefined;
  const wait = new StartWait(onWaiting);
  let asked = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        const isOver = signal?.aborted === true || performance.now() > late;
        if (!(error instanceof NoRoomError) || !isPatient || isOver) throw error;
        if (performance.now() - began > TOLD_AFTER_MS)
          wait.is({ for: "place", reason: error.why, othersRun: await othersRun() });
      }
      if (performance.now() - asked > ASK_MS) {
        await makeRoom?.();
        asked = performance.now();
      }
      await delay(LOOK_MS, undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  } finally {
    wait.over();
  }
}

/** Requests room as long as a pod finds none on any node. */
export class PodRoom {
  readonly #makeRoom: MakeRoom;
  readonly #signal: AbortSignal;
  #isCrowded = false;
  #asking: Promise<void> | undefined;

  /** @param signal Aborts when the pod need not start any longer. */
  constructor(makeRoom: MakeRoom, signal: AbortSignal) {
    this.#makeRoom = makeRoom;
    this.#signal = signal;
  }

  /** Takes note of the pod's current state. */
  saw(pod: V1Pod): void {
    this.#isCrowded = CROWDED.test(waitsFor(pod));
    if (!this.#isCrowded) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  /** Whether the nodes lacked room when the pod was last seen. */
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
