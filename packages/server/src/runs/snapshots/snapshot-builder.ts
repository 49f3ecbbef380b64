import { FairSemaphore } from "@berth/concurrency";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import { type BuildParts, type BuildRequest, buildRepositorySnapshot } from "./build-snapshot.ts";
import { claimMirror, type Mirror } from "./mirror-store.ts";

export interface BuilderParts extends BuildParts {
  engine: Pick<SandboxEngine, "open" | "probe">;
  log: Logger;
  /** Deletes what may be deleted and returns the bytes that are left. Called before each build and after it. */
  evict(): Promise<number>;
}

/** How many organizations have a snapshot built at once. Each build takes a core. */
const MAX_BUILDS = 3;
/** Of one organization. */
const MAX_QUEUED = 100;
const MAX_FAILURES = 1_000;
const PAUSE_AFTER_FAILURE_MS = 600_000;

/**
 * Builds snapshots in the background: one organization's one after another, several organizations' beside each other,
 * so that a slow host delays only the organization that asked for it.
 */
export class SnapshotBuilder {
  readonly #parts: BuilderParts;
  readonly #slots = new FairSemaphore({ slots: MAX_BUILDS, perOwner: 1 });
  readonly #requests = new Set<Promise<void>>();
  /** Mirrors with their checkouts that wait for their build. */
  readonly #queued = new Set<string>();
  /** When the last build of a mirror with its checkout failed. */
  readonly #failures = new Map<string, number>();
  /** Ids of the mirrors and snapshots that are being built. */
  readonly #building = new Set<string>();
  readonly #closing = new AbortController();
  #canMount: Promise<boolean> | undefined;

  constructor(parts: BuilderParts) {
    this.#parts = parts;
  }

  /**
   * Has the snapshot of what a session was just given built, unless it is queued, exists, or could not be built
   * recently.
   */
  request(sessionId: string, request: BuildRequest): void {
    if (this.#closing.signal.aborted) return;
    const done = this.#enqueue(sessionId, request).catch((error) => {
      if (!this.#closing.signal.aborted)
        this.#parts.log.warn({ err: error }, "a repository snapshot could not be built");
    });
    this.#requests.add(done);
    void done.finally(() => this.#requests.delete(done));
  }

  /** Whether a mirror or snapshot of this id is being built. */
  isBuilding(id: string): boolean {
    return this.#building.has(id);
  }

  /** Builds no more. Unfinished builds are deleted. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#requests);
  }

  async #enqueue(sessionId: string, request: BuildRequest): Promise<void> {
    this.#canMount ??= canMount(this.#parts.engine);
    if (!(await this.#canMount)) return;
    const mirror = await this.#claim(sessionId, request);
    if (mirror === null) return;
    const key = keyOf(mirror, request);
    if (this.#queued.has(key) || this.#failedRecently(key)) return;
    if (this.#slots.waiting(mirror.organizationId) >= MAX_QUEUED) return;
    this.#queued.add(key);
    await this.#buildInTurn(mirror.organizationId, sessionId, request).finally(() =>
      this.#queued.delete(key),
    );
  }

  #claim(sessionId: string, { repository }: BuildRequest): Promise<Mirror | null> {
    const { db, directory } = this.#parts;
    return claimMirror(db.write, sessionId, directory.host, repository.url);
  }

  async #buildInTurn(organizationId: string, sessionId: string, request: BuildRequest): Promise<void> {
    const release = await this.#slots.acquire(organizationId);
    const ids: string[] = [];
    const track = (id: string) => {
      ids.push(id);
      this.#building.add(id);
    };
    try {
      // The mirror may have been swept while this waited, or the session is gone, and with it the right to its credential.
      const mirror = this.#closing.signal.aborted ? null : await this.#claim(sessionId, request);
      if (mirror === null) return;
      track(mirror.id);
      await this.#buildOrRemember(mirror, request, track);
    } finally {
      for (const id of ids) this.#building.delete(id);
      release();
    }
  }

  async #buildOrRemember(mirror: Mirror, request: BuildRequest, track: (id: string) => void): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.#build(mirror, request, track);
    } finally {
      if (!isDone) this.#rememberFailure(keyOf(mirror, request));
    }
  }

  /** Returns false when there can be no snapshot. */
  async #build(mirror: Mirror, request: BuildRequest, onStart: (id: string) => void): Promise<boolean> {
    const { evict, log, maxBytes } = this.#parts;
    const { signal } = this.#closing;
    const began = performance.now();
    if ((await evict()) >= maxBytes) return false;
    const result = await buildRepositorySnapshot(this.#parts, mirror, request, { signal, onStart });
    if (result.state === "exists" || signal.aborted) return true;
    const seconds = Math.round(performance.now() - began) / 1000;
    const fields = { url: request.repository.url, mirror: mirror.id, seconds };
    if (result.state === "impossible") {
      log.info({ ...fields, why: result.reason }, "a repository cannot have a snapshot");
      return false;
    }
    log.info({ ...fields, template: result.id, bytes: result.bytes }, "a repository snapshot was built");
    await evict();
    return true;
  }

  #rememberFailure(key: string): void {
    this.#failures.delete(key);
    this.#failures.set(key, performance.now());
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #failedRecently(key: string): boolean {
    const last = this.#failures.get(key);
    return last !== undefined && performance.now() - last < PAUSE_AFTER_FAILURE_MS;
  }
}

function keyOf({ id }: Mirror, { checkout }: BuildRequest): string {
  return `${id} ${JSON.stringify(checkout)}`;
}

/** Whether the engine can mount snapshots. It is probed once, at the first request. */
async function canMount(engine: Pick<SandboxEngine, "probe">): Promise<boolean> {
  const found = await engine.probe();
  return found.some(({ name, state }) => name === "templates" && state === "yes");
}
