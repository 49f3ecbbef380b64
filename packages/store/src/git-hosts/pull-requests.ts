import { MAX_FAILED_CHECKS, MAX_PULL_REQUESTS, MAX_REVIEWS, type PullRequest } from "@berth/contract";
import type { HostAddress, HostAnswer } from "./ask-host.ts";
import { GitHostError } from "./git-host-error.ts";

/** Which pull requests of a repository are asked for. */
export interface PullRequestQuestion {
  /** The full name of the repository, such as `acme/widget`. */
  repository: string;
  /** Their heads are branches of the repository itself. */
  branches: readonly string[];
  /** Those that are no longer open are left out if they did not change since then. */
  since: Date;
  /** What the host said before. One that is no longer open and did not change is not asked for again. */
  known: readonly PullRequest[];
  /** The session's own token, for a host whose connection would have to make one; null for none. */
  token: string | null;
}

export interface PullRequestAnswer {
  pullRequests: PullRequest[];
  /** One sentence that says what the host did not let the credential read; null if it let it read all. */
  missing: string | null;
}

/** A pull request as a host lists it. */
export interface FoundPull
  extends Pick<PullRequest, "number" | "url" | "title" | "state" | "head" | "base" | "mergeable"> {
  updatedAt: Date;
  /** The commit of its head; null if the host does not say it. */
  sha: string | null;
}

export interface Check {
  name: string;
  state: "passed" | "failed" | "pending";
  url: string | null;
  /** Of a failed one: by what its log is asked for, and what it says itself. Default: nothing. */
  log?: string | null;
  summary?: string | null;
}

export interface Review {
  author: string;
  state: PullRequest["reviews"]["reviews"][number]["state"];
  submittedAt: Date | null;
}

export interface PullDetails {
  /** Absent if the list has it. */
  mergeable?: boolean | null;
  /** Null if the host does not let the credential read them. */
  checks: readonly Check[] | null;
  /** The number of all checks, if only a part was read. */
  checkCount?: number;
  reviews: readonly Review[];
  /** Whether somebody was asked for a review who has not given one. */
  isAwaited: boolean;
}

/** How a host's API is asked with one credential. */
export interface HostRequests {
  ask(path: string): Promise<HostAnswer>;
  /** Asks for a list of a repository, and rejects with a sentence if it is not there or has moved. */
  askOf(repository: string, path: string): Promise<HostAnswer>;
  /** Sends a JSON body. */
  send(path: string, body: object): Promise<HostAnswer>;
  /** Returns the end of a text, also where the host redirects to; null if there is none. */
  tail(path: string): Promise<string | null>;
}

/** What one host's API has about pull requests. */
export interface PullSource {
  /** Lists those from a branch of the repository itself, the newest first. */
  list(repository: string, branch: string): Promise<FoundPull[]>;
  details(repository: string, pull: FoundPull): Promise<PullDetails>;
}

/**
 * Reads the pull requests of branches with their checks and reviews.
 *
 * @param checksPermission what lets a credential read checks, for the sentence that it is missing.
 * @throws GitHostError
 */
export async function readPullRequests(
  source: PullSource,
  { host }: Pick<HostAddress, "host">,
  { repository, branches, since, known }: PullRequestQuestion,
  checksPermission: string,
): Promise<PullRequestAnswer> {
  const lists = await Promise.all(branches.map((branch) => source.list(repository, branch)));
  const found = lists
    .flat()
    .filter(({ state, updatedAt }) => isOpen(state) || updatedAt >= since)
    .sort((one, other) => other.number - one.number)
    .slice(0, MAX_PULL_REQUESTS);
  const pullRequests: PullRequest[] = [];
  for (const pull of found) {
    const same = known.find(
      ({ number, state, updated_at }) =>
        number === pull.number && state === pull.state && updated_at === pull.updatedAt.toISOString(),
    );
    const isSettled = same !== undefined && !isOpen(pull.state) && same.checks.state !== "unknown";
    pullRequests.push(isSettled ? same : toPullRequest(pull, await source.details(repository, pull)));
  }
  const isMissing = pullRequests.some(({ checks }) => checks.state === "unknown");
  return {
    pullRequests,
    missing: isMissing
      ? `${host} does not let the credential read checks, which needs ${checksPermission}.`
      : null,
  };
}

function isOpen(state: PullRequest["state"]): boolean {
  return state === "open" || state === "draft";
}

function toPullRequest(pull: FoundPull, details: PullDetails): PullRequest {
  const { number, url, state, updatedAt } = pull;
  return {
    ...{ type: "pull_request", number, url, state },
    ...{ title: bounded(pull.title, 300), head: bounded(pull.head, 255), base: bounded(pull.base, 255) },
    mergeable: details.mergeable === undefined ? pull.mergeable : details.mergeable,
    checks: summaryOfChecks(details.checks, details.checkCount),
    reviews: summaryOfReviews(details.reviews, details.isAwaited),
    updated_at: updatedAt.toISOString(),
  };
}

function summaryOfChecks(checks: readonly Check[] | null, count?: number): PullRequest["checks"] {
  if (checks === null) return { state: "unknown", total: 0, pending_count: 0, failed_count: 0, failed: [] };
  const failed = checks.filter(({ state }) => state === "failed");
  const pending = checks.filter(({ state }) => state === "pending").length;
  const ended = failed.length > 0 ? "failing" : pending > 0 ? "pending" : "passing";
  return {
    state: checks.length === 0 ? "none" : ended,
    total: Math.max(count ?? 0, checks.length),
    ...{ pending_count: pending, failed_count: failed.length },
    failed: failed.slice(0, MAX_FAILED_CHECKS).map(({ name, url }) => ({ name: bounded(name, 150), url })),
  };
}

function summaryOfReviews(reviews: readonly Review[], isAwaited: boolean): PullRequest["reviews"] {
  const timeOf = ({ submittedAt }: Review) => submittedAt?.getTime() ?? 0;
  const last = new Map<string, Review>();
  for (const review of [...reviews].sort((one, other) => timeOf(one) - timeOf(other))) {
    // A comment takes back neither an approval nor a request for changes.
    if (review.state !== "commented" || !last.has(review.author)) last.set(review.author, review);
  }
  const all = [...last.values()].sort((one, other) => timeOf(other) - timeOf(one));
  const has = (state: Review["state"]) => all.some((review) => review.state === state);
  const undecided = isAwaited ? "pending" : "none";
  const decided = has("changes_requested") ? "changes_requested" : has("approved") ? "approved" : undecided;
  return {
    state: decided,
    reviews: all.slice(0, MAX_REVIEWS).map(({ author, state, submittedAt }) => ({
      ...{ author: bounded(author, 100), state, submitted_at: submittedAt?.toISOString() ?? null },
    })),
  };
}

/** Returns a text on one line, cut after some characters. */
function bounded(text: string, characters: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  const all = [...line];
  return all.length <= characters ? line : `${all.slice(0, characters - 1).join("")}…`;
}

/** Returns an address of the host itself; null for any other, or none. Relative ones are of the host. */
export function pageOf(
  { host, origin }: Pick<HostAddress, "host" | "origin">,
  value: unknown,
): string | null {
  if (typeof value !== "string" || value === "" || value.length > 2_000) return null;
  const url = URL.parse(value, origin);
  if (url === null || url.host !== host || url.username !== "" || url.password !== "") return null;
  return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
}

/** Returns a time of a response, or null. */
export function timeOf(value: unknown): Date | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time);
}

/** Waits for what a credential may be not allowed to read. Returns null if it is not. */
export async function ifAllowed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    const kind = error instanceof GitHostError ? error.fault.kind : null;
    if (kind === "forbidden" || kind === "not_found") return null;
    throw error;
  }
}
