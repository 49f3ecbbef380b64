import { Signal } from "@berth/concurrency";
import { formatId, newUuid } from "@berth/contract";
import { DatabaseUnavailableError } from "@berth/store/db";
import { GitHostError } from "@berth/store/git-hosts";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import {
  type ClaimedDelivery,
  claimDelivery,
  failDelivery,
  postponeDelivery,
} from "../store/trigger-delivery-store.ts";
import { getTrigger } from "../store/trigger-store.ts";
import { type AnswerDeps, answer } from "./answer.ts";
import { type HandOnDeps, handOn } from "./hand-on.ts";
import { SpeakError } from "./speak.ts";

export interface TriggerWorkerDeps extends HandOnDeps, AnswerDeps {
  hub: Pick<SessionHub, "publish">;
  log: Pick<Logger, "error" | "warn">;
}

/** Milliseconds after which what other processes received, and sessions that have ended their turn, are seen. */
const POLL_MS = 1_000;
/** Milliseconds for which a claim counts. A host is asked for less. */
const LEASE_MS = 120_000;
/** Number of deliveries that one process works on at once. */
const WORKERS = 4;
/** Milliseconds before a second try, and at most; and the number of tries. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 900_000;
const MAX_FAILURES = 10;
/** Milliseconds for which a stopping process waits for hosts. */
const CLOSE_MS = 3_000;

/**
 * Hands on what triggers were sent, and answers where it was asked. Every process with an API has one; claims on the
 * rows decide which of them does what. It looks once a second, and at once when its own process received something.
 */
export class TriggerWorker {
  readonly #deps: TriggerWorkerDeps;
  readonly #closing = new AbortController();
  readonly #wakes = Array.from({ length: WORKERS }, () => new Signal());
  #running: Promise<void> | undefined;

  constructor(deps: TriggerWorkerDeps) {
    this.#deps = deps;
  }

  /** Starts to work, until `close`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks again. Call it after a commit that stored a delivery. */
  wake(): void {
    for (const { set } of this.#wakes) set();
  }

  /** Stops, and resolves when what is under way has ended, or after three seconds: its claim ends by itself. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([this.#running, late]);
  }

  async #run(): Promise<void> {
    await Promise.all(this.#wakes.map((wake, index) => this.#workAlone(wake, index === 0)));
  }

  /** Works on one delivery after the other. Only the first looks by itself, and wakes the others with each that it finds. */
  async #workAlone(wake: Signal, isFirst: boolean): Promise<void> {
    while (!this.#closing.signal.aborted) {
      wake.reset();
      if (await this.step()) {
        if (isFirst) this.wake();
      } else if (isFirst) await wake.waitFor(POLL_MS);
      else await wake.wait();
    }
  }

  /** Works on one delivery that is due. Returns false if there is none. */
  async step(): Promise<boolean> {
    const { db, log } = this.#deps;
    const claim = newUuid();
    try {
      const delivery = await claimDelivery(db.write, { claim, leaseMs: LEASE_MS });
      if (delivery === null) return false;
      await this.#work(delivery, claim);
      return true;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) && !this.#closing.signal.aborted)
        log.warn({ err: error }, "what triggers were sent could not be read");
      return false;
    }
  }

  async #work(delivery: ClaimedDelivery, claim: string): Promise<void> {
    const { db, hub, log } = this.#deps;
    const { id, failures } = delivery;
    try {
      const trigger = await getTrigger(db.read, delivery.triggerId);
      if (trigger === null) return;
      if (delivery.status !== "pending") return await answer(this.#deps, trigger, delivery, claim);
      const handed = await handOn(this.#deps, trigger, delivery, claim);
      if (handed !== null) hub.publish(handed.session, true);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      const isOfHost = error instanceof GitHostError || error instanceof SpeakError;
      if (!isOfHost)
        log.error(
          { err: error, delivery: formatId("trigger_delivery", id) },
          "a delivery could not be handed on",
        );
      const message = isOfHost ? error.message : "The service failed.";
      const isLasting = isOfHost && error.fault.transient !== true;
      if (isLasting || failures + 1 >= MAX_FAILURES)
        return await failDelivery(db.write, { id, claim, message });
      const asked = (isOfHost ? error.fault.retryAfterMs : null) ?? 0;
      const waitMs = Math.min(Math.max(RETRY_MS * 2 ** failures, asked), MAX_RETRY_MS);
      await postponeDelivery(db.write, {
        id,
        claim,
        waitMs,
        error: delivery.status === "pending" ? null : message,
      });
    }
  }
}
