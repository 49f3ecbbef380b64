import { Signal, sleep } from "@berth/concurrency";
import { WEBHOOK_TIMEOUT_SECONDS } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  isAnyEnabled,
  STORE_ATTEMPT,
} from "./delivery-store.ts";
import { retryAfter } from "./retry-plan.ts";
import { type SendDeps, sendEvent } from "./send-event.ts";

export interface DeliveryDeps extends SendDeps {
  db: DatabaseAccess;
  hub: Pick<SessionHub, "onChange">;
  log: Logger;
}

/** How many tries this process has under way: of all webhooks, of one, and of one whose last try failed. */
const UNDER_WAY = 512;
const ROOM = 32;
const ROOM_AFTER_FAILURE = 2;
/** The most that one statement claims. */
const BATCH = 64;
/** Milliseconds after which another process tries a claimed delivery. */
export const LEASE_MS = (WEBHOOK_TIMEOUT_SECONDS + 15) * 1_000;
/** Milliseconds for which a process that stops waits for answers. */
const CLOSE_MS = 2_000;
/** Milliseconds between two looks: while events come, and at most. */
const SOON_MS = 4;
const LATEST_MS = 1_000;

/**
 * Delivers events, from the rows that their transactions wrote, while it runs. Any number of processes do so at the
 * same time. What changes a session wakes it; for all else it looks, soon after the last event and then at least each
 * second.
 */
export class Deliveries {
  readonly #deps: DeliveryDeps;
  readonly #wake = new Signal();
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, number>();
  readonly #failing = new Set<string>();
  readonly #tries = new Set<Promise<void>>();
  readonly #cut = new AbortController();
  #running: Promise<void> | undefined;
  #isBroken = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** Starts to deliver. */
  start(): void {
    const stop = this.#deps.hub.onChange(this.#wake.set);
    this.#running ??= this.#run().finally(stop);
  }

  /** Claims nothing more, and resolves when what is under way is answered and stored, or cut off to be tried again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.set();
    await this.#running;
    const timer = setTimeout(() => this.#cut.abort(), CLOSE_MS);
    await Promise.all(this.#tries).finally(() => clearTimeout(timer));
  }

  async #run(): Promise<void> {
    let waitMs = SOON_MS;
    while (!this.#closing.signal.aborted) {
      this.#wake.reset();
      const limit = Math.min(BATCH, UNDER_WAY - this.#tries.size);
      const claimed = limit === 0 ? [] : await this.#claim(limit);
      for (const delivery of claimed) this.#start(delivery);
      if (claimed.length === BATCH) continue;
      await this.#pause(claimed.length === 0 && !(await this.#isAnyEnabled()) ? LATEST_MS : SOON_MS);
      if (claimed.length > 0 || (await this.#wake.waitFor(waitMs))) waitMs = SOON_MS;
      else waitMs = Math.min(2 * waitMs, LATEST_MS);
    }
  }

  /** Returns false while no event can come, so that changes of sessions cause no look. */
  async #isAnyEnabled(): Promise<boolean> {
    return await isAnyEnabled(this.#deps.db.read).catch(() => true);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, this.#closing.signal).catch(() => undefined);
  }

  /** Claims deliveries. A database that does not answer is logged once. */
  async #claim(limit: number): Promise<ClaimedDelivery[]> {
    const rooms = new Map<string, number>();
    for (const id of new Set([...this.#underWay.keys(), ...this.#failing])) {
      rooms.set(id, Math.max(0, this.#room(id) - (this.#underWay.get(id) ?? 0)));
    }
    const { db, log } = this.#deps;
    try {
      const claimed = await claimDeliveries(db.write, { limit, room: ROOM, rooms, leaseMs: LEASE_MS });
      this.#isBroken = false;
      return claimed;
    } catch (error) {
      if (!this.#isBroken) log.warn({ err: error }, "deliveries of webhooks could not be claimed");
      this.#isBroken = true;
      return [];
    }
  }

  #start(delivery: ClaimedDelivery): void {
    const { webhook_id: id } = delivery;
    this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1);
    const trying = this.#try(delivery).finally(() => {
      const count = this.#underWay.get(id) ?? 1;
      if (count >= this.#room(id) || this.#tries.size >= UNDER_WAY) this.#wake.set();
      this.#tries.delete(trying);
      if (count === 1) this.#underWay.delete(id);
      else this.#underWay.set(id, count - 1);
    });
    this.#tries.add(trying);
  }

  #room(webhookId: string): number {
    return this.#failing.has(webhookId) ? ROOM_AFTER_FAILURE : ROOM;
  }

  /** Tries a delivery and stores what came of it. If that fails, it is tried again once the claim has ended. */
  async #try(delivery: ClaimedDelivery): Promise<void> {
    const { id, webhook_id, attempts } = delivery;
    const { ok, gone, status, message } = await sendEvent(this.#deps, delivery, this.#cut.signal);
    if (this.#cut.signal.aborted && !ok) return;
    if (ok) this.#failing.delete(webhook_id);
    else this.#failing.add(webhook_id);
    const result: AttemptResult = {
      ...{ id, webhook_id, attempts, ok, gone, response_status: status },
      ...{ error: ok ? null : message, retry_ms: ok ? null : retryAfter(attempts) },
    };
    await this.#deps.db.store(STORE_ATTEMPT, result).catch((error) => {
      this.#deps.log.warn({ err: error }, "a delivery of a webhook could not be stored");
    });
  }
}
