import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { formatId, newUuid, type SessionPullRequests, uuidTimestamp } from "@berth/contract";
import type { Database } from "@berth/store/db";
import { ApiError } from "@berth/store/errors";
import { GitHostError } from "@berth/store/git-hosts";
import { lookNow } from "../follow/follow-store.ts";
import { refreshBranches } from "../workspace/note-branches.ts";
import type { WorkspaceReads } from "../workspace/workspace-reads.ts";
import { type AskDeps, askForPullRequests } from "./ask-for-pull-requests.ts";
import {
  claimPullRequests,
  isAsked,
  type PullRequestClaim,
  type PullRequestOutcome,
  type PullRequestRow,
  readPullRequests,
  storePullRequests,
} from "./pull-request-store.ts";

export interface PullRequestDeps extends AskDeps {
  db: Database;
  reads: WorkspaceReads;
}

/** Milliseconds for all that one host is asked at once, and for which its answer counts. */
const TIME_LIMIT_MS = 20_000;
const CLAIM_MS = 2 * TIME_LIMIT_MS;
const POLL_MS = 250;
/** The longest time that a host is not asked because it wants to wait. */
const MAX_WAIT_MS = 3_600_000;

/**
 * The state of the pull requests of sessions. Hosts are asked while somebody looks, once for all who look at the
 * same time, on any number of machines.
 */
export class PullRequests {
  readonly #deps: PullRequestDeps;
  readonly #refreshing = new Map<string, Promise<void>>();

  constructor(deps: PullRequestDeps) {
    this.#deps = deps;
  }

  /** @param sessionId a uuid. @param ageSeconds the least age at which a host is asked again. */
  async get(sessionId: string, ageSeconds: number): Promise<SessionPullRequests> {
    const known = this.#refreshing.get(sessionId);
    const refreshing =
      known ?? this.#refresh(sessionId, ageSeconds).finally(() => this.#refreshing.delete(sessionId));
    this.#refreshing.set(sessionId, refreshing);
    await refreshing;
    const rows = await readPullRequests(this.#deps.db.write, sessionId);
    return {
      ...{ type: "session_pull_requests", session_id: formatId("session", sessionId) },
      repositories: rows.map(toRepository),
    };
  }

  async #refresh(sessionId: string, ageSeconds: number): Promise<void> {
    const { write } = this.#deps.db;
    await this.#readBranches(sessionId);
    const claim = newUuid();
    const options = { id: claim, milliseconds: CLAIM_MS, ageSeconds };
    const claimed = await claimPullRequests(write, sessionId, options);
    const since = new Date(uuidTimestamp(sessionId));
    await Promise.all(
      claimed.map(async (one) => {
        const outcome = await this.#ask(one, since);
        await storePullRequests(write, { resourceId: one.resourceId, claim }, outcome);
        // Whoever follows the request needs not wait for the next look to see it.
        if (outcome.found !== null && !isDeepStrictEqual(outcome.found, one.known))
          await lookNow(write, sessionId);
      }),
    );
    const deadline = performance.now() + TIME_LIMIT_MS;
    while (performance.now() < deadline && (await isAsked(write, sessionId))) await delay(POLL_MS);
  }

  /** Reads the branches from the disk if they may have changed. Without a disk, those that are known stay. */
  async #readBranches(sessionId: string): Promise<void> {
    const { db, reads } = this.#deps;
    try {
      await refreshBranches(db, reads, sessionId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #ask(claim: PullRequestClaim, since: Date): Promise<PullRequestOutcome> {
    try {
      const { pullRequests, missing } = await inTime(
        new URL(claim.url).host,
        askForPullRequests(this.#deps, claim, since),
      );
      return { found: pullRequests, failure: missing, waitMs: null };
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      const { retryAfterMs = null } = error.fault;
      const waitMs = retryAfterMs === null ? null : Math.min(retryAfterMs, MAX_WAIT_MS);
      return { found: null, failure: error.message, waitMs };
    }
  }
}

async function inTime<T>(host: string, asked: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = delay(TIME_LIMIT_MS, null, { signal: controller.signal }).then(() => {
    throw new GitHostError(`${host} did not answer in time.`, { kind: "unknown", transient: true });
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    late.catch(() => undefined);
    controller.abort();
  }
}

function toRepository(row: PullRequestRow): SessionPullRequests["repositories"][number] {
  const { host, pathname } = new URL(row.url);
  const { failure, asked_at: failedAt, retry_at: retryAt } = row;
  return {
    type: "repository_pull_requests",
    resource_id: formatId("session_resource", row.resource_id),
    ...{ url: row.url, host, repository: pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "") },
    ...{ branches: row.branches ?? [], pull_requests: row.found ?? [] },
    refreshed_at: row.refreshed_at?.toISOString() ?? null,
    error:
      failure === null || failedAt === null
        ? null
        : {
            message: failure,
            failed_at: failedAt.toISOString(),
            retry_at: retryAt?.toISOString() ?? null,
          },
  };
}
