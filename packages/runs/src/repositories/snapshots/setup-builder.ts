import { FairSemaphore } from "@berth/concurrency";
import { limitsDisks, type SandboxEngine, type SetupFailure } from "@berth/sandbox";
import { type LeasedSession, sessionFields } from "@berth/store/leases";
import type { Logger } from "pino";
import { buildSetup, type SetupBase, type SetupDeps, type SetupRequest } from "./build-setup.ts";
import type { BuildRequest } from "./build-snapshot.ts";
import type { Mirror } from "./mirror-store.ts";
import type { SnapshotBuilder, Track } from "./snapshot-builder.ts";
import type { SnapshotMetrics } from "./snapshot-metrics.ts";
import { findSnapshot } from "./snapshot-store.ts";

export interface SetupBuilderDeps extends SetupDeps {
  engine: SetupDeps["engine"] & Pick<SandboxEngine, "probe">;
  log: Logger;
  metrics?: SnapshotMetrics;
  /** See `BuilderDeps`. */
  evict(): Promise<number>;
}

/** `done`: the snapshot exists. `unavailable`: none can be built now. */
export type SetupOutcome = "done" | "unavailable" | SetupFailure;

/** Each setup takes up to two cores and 3 GiB. The limit per organization leaves a slot to the others. */
const SLOTS = { slots: 3, perOwner: 2 };

/** Sets repositories up, once for all who request the same. */
export class SetupBuilder {
  readonly #deps: SetupBuilderDeps;
  readonly #snapshots: Pick<SnapshotBuilder, "withSnapshot">;
  readonly #slots = new FairSemaphore(SLOTS);
  readonly #closing = new AbortController();
  /** Running builds, by plain snapshot and setup. */
  readonly #builds = new Map<string, Promise<SetupOutcome>>();
  readonly #asked = new Set<Promise<SetupOutcome>>();
  #canLimitDisks = false;

  constructor(deps: SetupBuilderDeps, snapshots: Pick<SnapshotBuilder, "withSnapshot">) {
    this.#deps = deps;
    this.#snapshots = snapshots;
  }

  /**
   * Builds the snapshot of a repository as an environment sets it up, with the plain one below it, unless it
   * exists. Concurrent requests share one build. The next request tries a failed setup again. Never rejects.
   */
  async setUp(session: LeasedSession, request: BuildRequest, setup: SetupRequest): Promise<SetupOutcome> {
    const done = this.#setUp(session, request, setup);
    this.#asked.add(done);
    return await done.finally(() => this.#asked.delete(done));
  }

  /** Stops building. Unfinished builds are deleted. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#asked);
  }

  async #setUp(session: LeasedSession, request: BuildRequest, setup: SetupRequest): Promise<SetupOutcome> {
    try {
      this.#canLimitDisks ||= await limitsDisks(this.#deps.engine);
      if (!this.#canLimitDisks) return "unavailable";
      const outcome = await this.#snapshots.withSnapshot(session, request, (mirror, plain, track) =>
        this.#once(session, mirror, plain, setup, track),
      );
      return outcome ?? "unavailable";
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.#deps.log.warn(
          { err: error, ...sessionFields(session), url: setup.url },
          "a repository could not be set up",
        );
      return "unavailable";
    }
  }

  #once(
    session: LeasedSession,
    mirror: Mirror,
    plain: SetupBase,
    setup: SetupRequest,
    track: Track,
  ): Promise<SetupOutcome> {
    const key = `${plain.id} ${setup.digest}`;
    const build =
      this.#builds.get(key) ??
      this.#buildInTurn(session, mirror, plain, setup, track).finally(() => this.#builds.delete(key));
    this.#builds.set(key, build);
    return build;
  }

  async #buildInTurn(
    session: LeasedSession,
    mirror: Mirror,
    plain: SetupBase,
    setup: SetupRequest,
    track: Track,
  ): Promise<SetupOutcome> {
    const { db, evict, log, metrics } = this.#deps;
    if ((await findSnapshot(db.write, { ...plain, setup: setup.digest })) !== null) return "done";
    const release = await this.#slots.acquire(mirror.organizationId);
    try {
      const { signal } = this.#closing;
      if (signal.aborted) return "unavailable";
      const began = performance.now();
      const result = await buildSetup(this.#deps, mirror, plain, setup, { signal, onStart: track });
      if (result.state === "failed") return result.failure;
      const seconds = Math.round(performance.now() - began) / 1000;
      metrics?.count("built");
      log.info(
        { ...sessionFields(session), url: setup.url, seconds, bytes: result.bytes },
        "a repository was set up",
      );
      await evict();
      return "done";
    } finally {
      release();
    }
  }
}
