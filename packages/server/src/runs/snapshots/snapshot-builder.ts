import { FairSemaphore } from "@berth/concurrency";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import { type MakeParts, makeTemplate, type Order } from "./build-snapshot.ts";
import { claimMirror, type Mirror } from "./mirror-store.ts";

export interface MakerParts extends MakeParts {
  engine: Pick<SandboxEngine, "open" | "probe">;
  log: Logger;
  /** Deletes what may go, and answers the bytes that are left. Called before one is made, and after it. */
  evict(): Promise<number>;
}

/**
 * Makes templates in the background: those of one organization one after another, and of several beside each other, each in its
 * turn. A host that drips holds back the organization that asked for it and no other.
 */
export interface TemplateMaker {
  /** Has the template of what a session was just given made, unless that is waiting, there, or was of no avail lately. */
  want(sessionId: string, order: Order): void;
  /** Whether a mirror or template of this id is being made. */
  isUnderWay(id: string): boolean;
  /** Makes no more; what is under way is deleted. */
  close(): Promise<void>;
}

/** How many organizations have one made at once. Each takes a core. */
const AT_ONCE = 3;
/** Of one organization. */
const MOST_WAITING = 100;
const MOST_REMEMBERED = 1_000;
const PAUSE_AFTER_FAILURE_MS = 600_000;

export function createTemplateMaker(parts: MakerParts): TemplateMaker {
  const { log, db, room } = parts;
  const inTurn = new FairSemaphore({ slots: AT_ONCE, perOwner: 1 });
  const wanted = new Set<Promise<void>>();
  const waiting = new Set<string>();
  const failed = new Map<string, number>();
  /** Ids of the mirror and the template of each making. */
  const underWay = new Set<Set<string>>();
  const closing = new AbortController();
  const { signal } = closing;
  let able: Promise<boolean> | undefined;

  async function take(sessionId: string, order: Order): Promise<void> {
    try {
      able ??= canMount(parts.engine);
      if (!(await able)) return;
      const mirror = await claim(sessionId, order);
      if (mirror === null) return;
      const key = keyOf(mirror, order);
      if (waiting.has(key) || failedLately(key)) return;
      if (inTurn.waiting(mirror.organizationId) >= MOST_WAITING) return;
      waiting.add(key);
      await inItsTurn(mirror.organizationId, sessionId, order).finally(() => waiting.delete(key));
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "a template could not be made");
    }
  }

  const claim = (sessionId: string, order: Order): Promise<Mirror | null> =>
    claimMirror(db.write, sessionId, room.host, order.repository.url);

  async function inItsTurn(organizationId: string, sessionId: string, order: Order): Promise<void> {
    const leave = await inTurn.acquire(organizationId);
    const ids = new Set<string>();
    underWay.add(ids);
    try {
      // What it waited with may have been swept meanwhile, or its session is gone, and with that the right to its credential.
      const mirror = signal.aborted ? null : await claim(sessionId, order);
      if (mirror !== null) await makeOrRemember(mirror, order, ids.add(mirror.id));
    } finally {
      underWay.delete(ids);
      leave();
    }
  }

  async function makeOrRemember(mirror: Mirror, order: Order, ids: Set<string>): Promise<void> {
    try {
      if (!(await make(mirror, order, ids))) remember(keyOf(mirror, order));
    } catch (error) {
      remember(keyOf(mirror, order));
      throw error;
    }
  }

  /** False: there cannot be one. */
  async function make(mirror: Mirror, order: Order, ids: Set<string>): Promise<boolean> {
    const began = performance.now();
    if ((await parts.evict()) >= parts.mostBytes) return false;
    const made = await makeTemplate(parts, mirror, order, { signal, began: (id) => ids.add(id) });
    if (made.state === "there" || signal.aborted) return true;
    const seconds = Math.round(performance.now() - began) / 1000;
    const line = { url: order.repository.url, mirror: mirror.id, seconds };
    if (made.state === "unfit") {
      log.info({ ...line, why: made.why }, "no template can be made of a repository");
      return false;
    }
    log.info({ ...line, template: made.id, bytes: made.bytes }, "a template was made");
    await parts.evict();
    return true;
  }

  function remember(key: string): void {
    failed.delete(key);
    failed.set(key, performance.now());
    const [oldest] = failed.keys();
    if (failed.size > MOST_REMEMBERED && oldest !== undefined) failed.delete(oldest);
  }

  function failedLately(key: string): boolean {
    const last = failed.get(key);
    return last !== undefined && performance.now() - last < PAUSE_AFTER_FAILURE_MS;
  }

  return {
    want(sessionId, order) {
      if (signal.aborted) return;
      const taken = take(sessionId, order);
      wanted.add(taken);
      void taken.finally(() => wanted.delete(taken));
    },
    isUnderWay: (id) => [...underWay].some((ids) => ids.has(id)),
    async close() {
      closing.abort();
      await Promise.all(wanted);
    },
  };
}

function keyOf({ id }: Mirror, { checkout }: Order): string {
  return `${id} ${JSON.stringify(checkout)}`;
}

/** A trial of the engine's, once, when the first is wanted. */
async function canMount(engine: Pick<SandboxEngine, "probe">): Promise<boolean> {
  const found = await engine.probe();
  return found.some(({ name, state }) => name === "templates" && state === "yes");
}
