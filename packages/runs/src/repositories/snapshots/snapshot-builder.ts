import { setTimeout as delay } from "node:timers/promises";
import { FairSemaphore } from "@berth/concurrency";
import type { SandboxEngine } from "@berth/sandbox";
import { type LeasedSession, sessionFields } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SetupBase } from "./build-setup.ts";
import { type BuildDeps, type BuildRequest, buildRepositorySnapshot } from "./build-snapshot.ts";
import { claimMirror, type Mirror } from "./mirror-store.ts";
import { SnapshotMetrics } from "./snapshot-metrics.ts";

export interface BuilderDeps extends BuildDeps {
  engine: Pick<SandboxEngine, "open" | "probe">;
  log: Logger;
  /** Default: own metrics, which nobody reads. */
  metrics?: SnapshotMetrics;
  /** Returns milliseconds of a monotonic clock. Default: that of the process. */
  now?: () => number;
  /** Milliseconds before a build, in which the session runs its first command. Default: 1,000. */
  delayMs?: number;
  /** Deletes what may be deleted, and returns the bytes left. Called before and after each build. */
  evict(): Promise<number>;
}

/** The most organizations that have a snapshot built at once. Each build takes a core. */
const MAX_BUILDS = 3;
/** The most queued builds of one organization. */
const MAX_QUEUED = 100;
const MAX_FAILURES = 1_000;
const DELAY_MS = 1_000;
const MAX_PAUSE_MS = 600_000;
/** The pause after a build whose host did not list the refs. Each further one in a row doubles it. */
const FIRST_PAUSE_MS = 5_000;

/** The failure of the last build of a mirror with its checkout. */
interface Failure {
  at: number;
  pauseMs: number;
}

type Outcome =
  | { state: "done"; snapshot: SetupBase }
  | { state: "impossible"; reason?: string }
  | { state: "unlisted" };

/** Keeps a mirror or snapshot from being deleted until the work that received this function ends. */
export type Track = (id: string) => void;

/**
 * Builds snapshots in the background: one at a time for an organization, concurrently for several
 * organizations, so that a slow host delays only the organization that uses it.
 */
export class SnapshotBuilder {
  readonly #deps: Required<BuilderDeps>;
  readonly #slots = new FairSemaphore({ slots: MAX_BUILDS, perOwner: 1 });
  readonly #requests = new Set<Promise<void>>();
  /** Mirrors with their checkouts that wait for their build. */
  readonly #queued = new Set<string>();
  readonly #failures = new Map<string, Failure>();
  /** Reasons for which the last build was impossible, as clauses, by what the request names. */
  readonly #reasons = new Map<string, string>();
  /** The number of builds that make or need a mirror or snapshot, by its id. */
  readonly #building = new Map<string, number>();
  readonly #closing = new AbortController();
  #canMount: Promise<boolean> | undefined;

  constructor(deps: BuilderDeps) {
    this.#deps = {
      now: () => performance.now(),
      metrics: new SnapshotMetrics(),
      delayMs: DELAY_MS,
      ...deps,
    };
  }

  /**
   * Builds the snapshot of a repository that a session was just given, unless it is queued, exists, or could
   * not be built recently. Resolves when that is done; never rejects.
   */
  async request(session: LeasedSession, request: BuildRequest): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const done = this.#enqueue(session, request).catch((error) => {
      if (!this.#closing.signal.aborted)
        this.#deps.log.warn(
          { err: error, ...sessionFields(session) },
          "a repository snapshot could not be built",
        );
    });
    this.#requests.add(done);
    await done;
    this.#requests.delete(done);
  }

  /**
   * Builds the plain snapshot of a repository, unless it exists, and calls `use` with it. The mirror and
   * snapshot are not deleted meanwhile. Returns null when there can be none now.
   */
  async withSnapshot<T>(
    session: LeasedSession,
    request: BuildRequest,
    use: (mirror: Mirror, snapshot: SetupBase, track: Track) => Promise<T>,
  ): Promise<T | null> {
    if (this.#closing.signal.aborted || !(await this.#mounts())) return null;
    const claimed = await this.#claim(session, request);
    if (claimed === null || this.#failedRecently(keyOf(claimed, request))) return null;
    return await this.#tracked(async (track) => {
      const built = await this.#buildInTurn(claimed.organizationId, session, request, track);
      if (built?.outcome.state !== "done") return null;
      const { mirror, outcome } = built;
      track(outcome.snapshot.id);
      return await use(mirror, outcome.snapshot, track);
    });
  }

  /** Returns why a repository can have no snapshot, as a clause about it; null when that is not known. */
  whyNone({ organizationId }: LeasedSession, request: BuildRequest): string | null {
    return this.#reasons.get(nameOf(organizationId, request)) ?? null;
  }

  /** Returns whether a mirror or snapshot of this id is being built. */
  isBuilding(id: string): boolean {
    return this.#building.has(id);
  }

  /** Stops building. Unfinished builds are deleted. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#requests);
  }

  async #enqueue(session: LeasedSession, request: BuildRequest): Promise<void> {
    await delay(this.#deps.delayMs, undefined, { signal: this.#closing.signal });
    if (!(await this.#mounts())) return;
    const mirror = await this.#claim(session, request);
    if (mirror === null) return;
    const key = keyOf(mirror, request);
    if (this.#queued.has(key) || this.#failedRecently(key)) return;
    if (this.#slots.waiting(mirror.organizationId) >= MAX_QUEUED) return;
    this.#queued.add(key);
    await this.#tracked((track) => this.#buildInTurn(mirror.organizationId, session, request, track)).finally(
      () => this.#queued.delete(key),
    );
  }

  #mounts(): Promise<boolean> {
    this.#canMount ??= canMount(this.#deps.engine);
    return this.#canMount;
  }

  #claim(session: LeasedSession, { repository }: BuildRequest): Promise<Mirror | null> {
    const { db, directory } = this.#deps;
    return claimMirror(db.write, session.sessionId, directory.host, repository.url);
  }

  async #tracked<T>(work: (track: Track) => Promise<T>): Promise<T> {
    const ids: string[] = [];
    try {
      return await work((id) => {
        ids.push(id);
        this.#building.set(id, (this.#building.get(id) ?? 0) + 1);
      });
    } finally {
      for (const id of ids) {
        const others = (this.#building.get(id) ?? 1) - 1;
        if (others === 0) this.#building.delete(id);
        else this.#building.set(id, others);
      }
    }
  }

  /** Builds in a slot of the organization. Returns null when there is nothing left to build. */
  async #buildInTurn(
    organizationId: string,
    session: LeasedSession,
    request: BuildRequest,
    track: Track,
  ): Promise<{ mirror: Mirror; outcome: Outcome } | null> {
    const release = await this.#slots.acquire(organizationId);
    try {
      // The mirror may have been swept while this waited, or the session deleted, with its right to the
      // credential.
      const mirror = this.#closing.signal.aborted ? null : await this.#claim(session, request);
      if (mirror === null) return null;
      track(mirror.id);
      return { mirror, outcome: await this.#buildOrRemember(mirror, session, request, track) };
    } finally {
      release();
    }
  }

  async #buildOrRemember(
    mirror: Mirror,
    session: LeasedSession,
    request: BuildRequest,
    track: Track,
  ): Promise<Outcome> {
    let outcome: Outcome = { state: "impossible" };
    try {
      outcome = await this.#build(mirror, session, request, track);
      return outcome;
    } finally {
      this.#remember(keyOf(mirror, request), outcome);
      this.#rememberReason(nameOf(mirror.organizationId, request), outcome);
    }
  }

  async #build(
    mirror: Mirror,
    session: LeasedSession,
    request: BuildRequest,
    onStart: Track,
  ): Promise<Outcome> {
    const { evict, log, maxBytes, metrics } = this.#deps;
    const { signal } = this.#closing;
    const began = performance.now();
    if ((await evict()) >= maxBytes) return { state: "impossible" };
    const result = await buildRepositorySnapshot(this.#deps, mirror, request, { signal, onStart });
    if (result.state === "exists") return { state: "done", snapshot: result.snapshot };
    const seconds = Math.round(performance.now() - began) / 1000;
    const fields = {
      ...sessionFields(session),
      url: request.repository.url,
      mirror: mirror.id,
      seconds,
    };
    if (result.state === "built") {
      metrics.count("built");
      log.info(
        { ...fields, snapshot: result.snapshot.id, bytes: result.bytes },
        "a repository snapshot was built",
      );
      await evict();
      return { state: "done", snapshot: result.snapshot };
    }
    if (!signal.aborted && result.state === "unlisted")
      log.info(fields, "a repository cannot have a snapshot for now: its host did not list its refs");
    if (!signal.aborted && result.state === "impossible")
      log.info({ ...fields, why: result.reason }, "a repository cannot have a snapshot");
    return result;
  }

  #remember(key: string, { state }: Outcome): void {
    const before = this.#failures.get(key);
    this.#failures.delete(key);
    if (state === "done" || this.#closing.signal.aborted) return;
    const longer = before === undefined ? FIRST_PAUSE_MS : Math.min(before.pauseMs * 2, MAX_PAUSE_MS);
    const pauseMs = state === "unlisted" ? longer : MAX_PAUSE_MS;
    this.#failures.set(key, { at: this.#deps.now(), pauseMs });
    dropOldest(this.#failures);
  }

  #rememberReason(name: string, outcome: Outcome): void {
    if (this.#closing.signal.aborted || outcome.state === "unlisted") return;
    this.#reasons.delete(name);
    if (outcome.state === "done" || outcome.reason === undefined) return;
    this.#reasons.set(name, outcome.reason);
    dropOldest(this.#reasons);
  }

  #failedRecently(key: string): boolean {
    const last = this.#failures.get(key);
    return last !== undefined && this.#deps.now() - last.at < last.pauseMs;
  }
}

function keyOf({ id }: Mirror, { checkout }: BuildRequest): string {
  return `${id} ${JSON.stringify(checkout)}`;
}

function nameOf(organizationId: string, { repository, checkout }: BuildRequest): string {
  return JSON.stringify([organizationId, repository.url, checkout]);
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > MAX_FAILURES && oldest !== undefined) map.delete(oldest);
}

/** Returns whether the engine can mount snapshots. */
async function canMount(engine: Pick<SandboxEngine, "probe">): Promise<boolean> {
  const found = await engine.probe();
  return found.some(({ name, state }) => name === "snapshots" && state === "yes");
}
