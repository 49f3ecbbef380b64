import { FairSemaphore } from "@berth/concurrency";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import { type BuildParts, type BuildRequest, buildRepositorySnapshot } from "./build-snapshot.ts";
import { claimMirror, type Mirror } from "./mirror-store.ts";

export interface BuilderParts extends BuildParts {
  engine: Pick<SandboxEngine, "open" | "probe">;
  log: Logger;
  /** Milliseconds of a clock that only goes forward. Default: that of the process. */
  now?: () => number;
  /** Deletes what may be deleted and returns the bytes that are left. Called before each build and after it. */
  evict(): Promise<number>;
}

/** How many organizations have a snapshot built at once. Each build takes a core. */
const MAX_BUILDS = 3;
/** Of one organization. */
const MAX_QUEUED = 100;
const MAX_FAILURES = 1_000;
const MAX_PAUSE_MS = 600_000;
/** After the first of several builds in a row whose host did not list the refs; each further one doubles it. */
const FIRST_PAUSE_MS = 5_000;

/** Of the last build of a mirror with its checkout. */
interface Failure {
  at: number;
  pauseMs: number;
}

type Outcome = "done" | "impossible" | "unlisted";

/**
 * Builds snapshots in the background: one organization's one after another, several organizations' beside each other,
 * so that a slow host delays only the organization that asked for it.
 */
export class SnapshotBuilder {
  readonly #parts: Required<BuilderParts>;
  readonly #slots = new FairSemaphore({ slots: MAX_BUILDS, perOwner: 1 });
  readonly #requests = new Set<Promise<void>>();
  /** Mirrors with their checkouts that wait for their build. */
  readonly #queued = new Set<string>();
  readonly #failures = new Map<string, Failure>();
  /** Ids of the mirrors and snapshots that are being built. */
  readonly #building = new Set<string>();
  readonly #closing = new AbortController();
  #canMount: Promise<boolean> | undefined;

  constructor(parts: BuilderParts) {
    this.#parts = { now: () => performance.now(), ...parts };
  }

  /**
   * Has the snapshot of what a session was just given built, unless it is queued, exists, or could not be built
   * recently. Resolves when that is done; never rejects.
   */
  async request(sessionId: string, request: BuildRequest): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const done = this.#enqueue(sessionId, request).catch((error) => {
      if (!this.#closing.signal.aborted)
        this.#parts.log.warn({ err: error }, "a repository snapshot could not be built");
    });
    this.#requests.add(done);
    await done;
    this.#requests.delete(done);
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
    let outcome: Outcome = "impossible";
    try {
      outcome = await this.#build(mirror, request, track);
    } finally {
      this.#remember(keyOf(mirror, request), outcome);
    }
  }

  async #build(mirror: Mirror, request: BuildRequest, onStart: (id: string) => void): Promise<Outcome> {
    const { evict, log, maxBytes } = this.#parts;
    const { signal } = this.#closing;
    const began = performance.now();
    if ((await evict()) >= maxBytes) return "impossible";
    const result = await buildRepositorySnapshot(this.#parts, mirror, request, { signal, onStart });
    if (result.state === "exists" || signal.aborted) return "done";
    const seconds = Math.round(performance.now() - began) / 1000;
    const fields = { url: request.repository.url, mirror: mirror.id, seconds };
    if (result.state === "unlisted") {
      log.info(fields, "a repository cannot have a snapshot for now: its host did not list its refs");
      return "unlisted";
    }
    if (result.state === "impossible") {
      log.info({ ...fields, why: result.reason }, "a repository cannot have a snapshot");
      return "impossible";
    }
    log.info({ ...fields, template: result.id, bytes: result.bytes }, "a repository snapshot was built");
    await evict();
    return "done";
  }

  #remember(key: string, outcome: Outcome): void {
    const before = this.#failures.get(key);
    this.#failures.delete(key);
    if (outcome === "done") return;
    const longer = before === undefined ? FIRST_PAUSE_MS : Math.min(before.pauseMs * 2, MAX_PAUSE_MS);
    const pauseMs = outcome === "unlisted" ? longer : MAX_PAUSE_MS;
    this.#failures.set(key, { at: this.#parts.now(), pauseMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #failedRecently(key: string): boolean {
    const last = this.#failures.get(key);
    return last !== undefined && this.#parts.now() - last.at < last.pauseMs;
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
