import { budgetInNanodollars, type FollowStopReason, formatId, newUuid, uuidOrNil } from "@berth/contract";
import type { Database } from "@berth/store/db";
import { ApiError } from "@berth/store/errors";
import {
  type FoundPull,
  failedChecks,
  GitHostError,
  type PullComment,
  type PullConversation,
} from "@berth/store/git-hosts";
import type { OwnerLimits } from "@berth/store/limits";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import { requireWorkAllowed } from "../sessions/events/work-limits.ts";
import {
  beginFollow,
  type ClaimedFollow,
  claimFollows,
  endClaim,
  HandOverRejected,
  handOver,
  hasRested,
  type LookOutcome,
  lacksCredential,
  type OpenAnswer,
  stopFollow,
  storeLook,
} from "../sessions/follow/follow-store.ts";
import { type AskDeps, type OpenHost, openHostOf } from "../sessions/pull-requests/ask-for-pull-requests.ts";
import { repositoryAccess } from "../sessions/pull-requests/pull-request-store.ts";
import type { PullRequests } from "../sessions/pull-requests/session-pull-requests.ts";
import { getSession } from "../sessions/session-store.ts";
import { requireDisk } from "../sessions/workspace/require-disk.ts";
import { sessionChanges } from "../sessions/workspace/session-changes.ts";
import type { WorkspaceReads } from "../sessions/workspace/workspace-reads.ts";
import {
  announcementMarker,
  answerMarker,
  answerText,
  count,
  MARKER,
  MAX_CHECKS,
  MAX_COMMENTS,
  messageOf,
  type News,
  startText,
  stopText,
  withMarker,
} from "./follow-texts.ts";

export interface FollowTimes {
  /** Milliseconds between two looks at a host while something happens. While nothing does, up to thirty times as long. */
  lookMs: number;
  /** Milliseconds without anything new after which the agent is told. */
  quietMs: number;
}

export interface FollowDeps extends AskDeps {
  db: Database;
  hub: Pick<SessionHub, "publish">;
  reads: WorkspaceReads;
  pullRequests: Pick<PullRequests, "get">;
  limits: OwnerLimits;
  log: Pick<Logger, "warn">;
  times: FollowTimes;
}

/** Looks of one process at once, and milliseconds for which a look counts. */
const MAX_LOOKS = 8;
const LEASE_MS = 180_000;
/** How much longer than usual the longest wait between looks is. */
const MOST = 30;
/** The least age, in seconds, of what a host said about the branches of a session. */
const LEAST_AGE = 5;
/** Attempts to say at the host that a pull request is no longer followed. */
const MAX_STOP_FAILURES = 8;
const MAX_WAIT_MS = 3_600_000;
const MAX_TAKEN = 5_000;

type Claim = { sessionId: string; claim: string };

/**
 * Follows the pull requests of sessions until they are merged: asks their hosts, tells the agents what happened, and
 * the people at the hosts what became of it. Any number of processes do so together.
 */
export class Follows {
  readonly #deps: FollowDeps;
  #looks = 0;
  #isSearching = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Makes the looks that are due, as far as this process has room. Resolves when they have ended. */
  async look(): Promise<void> {
    const limit = MAX_LOOKS - this.#looks;
    if (this.#isSearching || limit === 0) return;
    this.#isSearching = true;
    const claim = newUuid();
    const options = { claim, quietMs: this.#deps.times.quietMs, leaseMs: LEASE_MS, limit };
    const claimed = await claimFollows(this.#deps.db.write, options).finally(() => {
      this.#isSearching = false;
    });
    this.#looks += claimed.length;
    await Promise.all(
      claimed.map((follow) =>
        this.#guarded(new Look(this.#deps, follow, claim), follow, claim).finally(() => {
          this.#looks -= 1;
        }),
      ),
    );
  }

  async #guarded(look: Look, follow: ClaimedFollow, claim: string): Promise<void> {
    try {
      await look.run();
    } catch (error) {
      const { log, db, times } = this.#deps;
      const { sessionId, failures } = follow;
      log.warn(
        { err: error, session_id: formatId("session", sessionId) },
        "a pull request could not be followed",
      );
      const waitMs = Math.min(times.lookMs * 2 ** Math.min(failures + 1, 5), times.lookMs * MOST);
      const failed = { ...unchanged(follow), failures: failures + 1, waitMs, failure: "The service failed." };
      await storeLook(db.write, { sessionId, claim }, failed).catch(() => undefined);
    }
  }
}

function unchanged(follow: ClaimedFollow): LookOutcome {
  const { head, taken, gathered, leftOut, answers, isAnnounced, waitMs } = follow;
  return {
    ...{ head, taken, gathered, leftOut, answers, isAnnounced, waitMs },
    ...{ isNew: false, failure: null, failures: 0 },
  };
}

/** One look at one follow. */
class Look {
  readonly #deps: FollowDeps;
  readonly #follow: ClaimedFollow;
  readonly #claim: Claim;

  constructor(deps: FollowDeps, follow: ClaimedFollow, claim: string) {
    this.#deps = deps;
    this.#follow = follow;
    this.#claim = { sessionId: follow.sessionId, claim };
  }

  async run(): Promise<void> {
    const { status, hasEnded } = this.#follow;
    if (status === "stopped") return await this.#sayStopped();
    if (hasEnded) return await this.#stop("session_ended", "Its session was archived or terminated.");
    if (status === "waiting") return await this.#find();
    try {
      await this.#watch();
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      await this.#failed(error);
    }
  }

  /** Looks for the first open pull request of the session's branches. */
  async #find(): Promise<void> {
    const { db, pullRequests } = this.#deps;
    const { sessionId } = this.#follow;
    if (await lacksCredential(db.read, sessionId))
      return await this.#stop(
        "no_access",
        "The session has neither a token nor a connection by which its repository's host can be asked.",
      );
    const { repositories } = await pullRequests.get(sessionId, LEAST_AGE);
    for (const { resource_id, host, repository, pull_requests } of repositories) {
      const open = pull_requests.find(({ state }) => state === "open" || state === "draft");
      if (open === undefined) continue;
      const { number, head } = open;
      return await this.#begin(resource_id, { host, repository, number, url: open.url, branch: head });
    }
    const failure = repositories.find(({ error }) => error !== null)?.error?.message ?? null;
    await this.#next({ failure }, !this.#follow.isIdle);
  }

  async #begin(
    resource: string,
    found: { host: string; repository: string; number: number; url: string; branch: string },
  ): Promise<void> {
    const resourceId = uuidOrNil("session_resource", resource);
    const { db, hub } = this.#deps;
    const { sessionId } = this.#follow;
    const began = await db.transaction((tx) => beginFollow(tx, this.#claim, { ...found, resourceId }));
    if (!began)
      return await this.#stop(
        "followed_elsewhere",
        `Another session follows pull request #${found.number} of ${found.repository}.`,
      );
    hub.publish(sessionId, false);
    await endClaim(db.write, this.#claim);
  }

  async #watch(): Promise<void> {
    const { resourceId } = this.#follow;
    const access = resourceId === null ? null : await repositoryAccess(this.#deps.db.read, resourceId);
    if (access === null) return await this.#stop("no_access", "The session no longer has the repository.");
    const opened = openHostOf(this.#deps, access);
    await opened.host.converse(opened.repository, (pulls) => this.#watchWith(opened, pulls));
  }

  async #watchWith(opened: OpenHost, pulls: PullConversation): Promise<void> {
    const { branch, number, isIdle, isAnnounced } = this.#follow;
    const pull = (await pulls.list(opened.repository, branch ?? "")).find((one) => one.number === number);
    if (pull === undefined)
      throw new GitHostError("The host does not list the pull request.", { kind: "unknown" });
    if (pull.state === "merged") return await this.#stop("merged", "It was merged.");
    if (pull.state === "closed") return await this.#stop("closed", "It was closed.");
    const { sha: head } = pull;
    if (head === null) throw new GitHostError("The host does not say the commit.", { kind: "unknown" });
    const whose = await this.#whose(head);
    if (whose === "unknown") return await this.#next({}, true);
    if (whose === "other")
      return await this.#stop(
        "person_pushed",
        `Somebody else pushed ${head.slice(0, 12)} to '${pull.head}': the session's clone did not push it.`,
      );
    const [details, comments, account] = await Promise.all([
      pulls.details(opened.repository, pull),
      pulls.comments(opened.repository, pull),
      pulls.account(),
    ]);
    const talk = new Talk(pulls, opened.repository, pull, comments, account);
    if (!isAnnounced)
      await talk.say(announcementMarker(this.#follow.sessionId, null), startText(this.#follow.maxAttempts));
    const answers = await this.#answer(talk, head);
    const { news, taken, leftOut } = await this.#newsOf(talk, details, head);
    const keys = keysOf(news, head);
    const known = new Set(this.#follow.gathered);
    const isSame = keys.length === known.size && keys.every((key) => known.has(key));
    const found = { head, taken, leftOut, answers, isAnnounced: true };
    if (keys.length > 0 && isSame && this.#follow.isQuiet && isIdle)
      return await this.#tell(opened, talk, news, found);
    const isActive =
      !isIdle ||
      keys.length > 0 ||
      answers.length > 0 ||
      head !== this.#follow.head ||
      (details.checks ?? []).some(({ state }) => state === "pending");
    await this.#next({ ...found, gathered: keys, isNew: !isSame }, isActive);
  }

  /**
   * Returns whose commit the branch has now. The clone's log of its own pushes tells: while the session works it may
   * be behind, so that nothing is known yet.
   */
  async #whose(head: string): Promise<"session" | "other" | "unknown"> {
    const { sessionId, resourceId, branch, head: known, acceptsHead, isIdle, lastSeq } = this.#follow;
    if (known !== null && isSameCommit(known, head)) return "session";
    if (acceptsHead) return "session";
    try {
      await requireDisk(this.#deps.db.read, sessionId);
      const { repositories } = await sessionChanges(this.#deps.reads, sessionId);
      const own = repositories.find(
        ({ resource_id }) => uuidOrNil("session_resource", resource_id) === resourceId,
      );
      const isOwn = own?.pushes.some((push) => push.branch === branch && isSameCommit(push.commit, head));
      if (isOwn) return "session";
      if (own === undefined || own.status !== "compared") return "unknown";
      return isIdle && (await hasRested(this.#deps.db.write, sessionId, lastSeq)) ? "other" : "unknown";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without a disk nothing was pushed from it.
      return error.status === 409 && isIdle ? "other" : "unknown";
    }
  }

  /** Answers the comments of which the agent was told, once it has pushed. Returns those that are still open. */
  async #answer(talk: Talk, head: string): Promise<OpenAnswer[]> {
    const { sessionId, answers, answersHead, isIdle } = this.#follow;
    if (answers.length === 0 || !isIdle || (answersHead !== null && isSameCommit(answersHead, head)))
      return answers;
    for (const { key, thread } of answers)
      if (thread !== null && !talk.isAnswered(key, thread))
        await talk.reply(answerMarker(sessionId, key), thread, answerText(head.slice(0, 12)));
    const whole = answers.filter(({ thread }) => thread === null);
    const [first] = whole;
    if (first !== undefined && !whole.every(({ key }) => talk.isAnswered(key, null))) {
      const links = whole.map(({ author, url }) =>
        url === null ? `what ${author} wrote` : `${author}: ${url}`,
      );
      await talk.say(answerMarker(sessionId, first.key), answerText(head.slice(0, 12), links));
    }
    return [];
  }

  /** Returns what the agent has not been told. Comments by people who may not write to the repository are left out. */
  async #newsOf(talk: Talk, details: Awaited<ReturnType<PullConversation["details"]>>, head: string) {
    const { taken: before, leftOut: alreadyOut } = this.#follow;
    const known = new Set(before);
    const [taken, leftOut, comments] = [[...before], [...alreadyOut], [] as PullComment[]];
    const rights = new Map<string, boolean>();
    for (const comment of talk.comments) {
      const { key, author, url } = comment;
      if (known.has(key) || talk.isOwn(comment)) continue;
      const mayWrite = rights.get(author.id) ?? (!author.isBot && (await talk.mayWrite(author)));
      rights.set(author.id, mayWrite);
      if (mayWrite) comments.push(comment);
      else {
        taken.push(key);
        leftOut.push({ author: author.name, url });
      }
    }
    const checks = failedChecks(details).filter(({ name }) => !known.has(checkKey(name, head)));
    const hasConflict = (details.mergeable ?? talk.pull.mergeable) === false && !known.has(conflictKey(head));
    const news: News = {
      checks: checks.slice(0, MAX_CHECKS),
      comments: comments.slice(0, MAX_COMMENTS),
      hasConflict,
    };
    return { news, taken: taken.slice(-MAX_TAKEN), leftOut: leftOut.slice(-MAX_COMMENTS) };
  }

  /** Tells the agent, unless a bound is reached. */
  async #tell(
    opened: OpenHost,
    talk: Talk,
    news: News,
    found: Pick<LookOutcome, "taken" | "leftOut" | "answers" | "isAnnounced"> & { head: string },
  ): Promise<void> {
    const { attempts, maxAttempts, maxListCost, sessionId, conflicts, url, number } = this.#follow;
    const { db, limits, hub, times } = this.#deps;
    if (attempts >= maxAttempts)
      return await this.#stop(
        "attempts",
        `The agent was told ${count(attempts, "time")}, which is as often as it may be.`,
      );
    const session = await getSession(db.write, sessionId);
    if (session === null) return;
    const bound =
      maxListCost === null ? null : budgetInNanodollars({ type: "limit", max_list_cost: maxListCost });
    if (bound !== null && session.list_cost_nano >= bound)
      return await this.#stop("budget", "The session has cost as much as it may.");
    const logs = await Promise.all(
      news.checks.map(async (check) => (check.log === null ? null : await talk.log(check))),
    );
    const attempt = attempts + 1;
    const pull = { number: number ?? 0, url: url ?? "" };
    const { host } = new URL(pull.url);
    const mask = (text: string) => opened.mask.mask(text);
    const content = masked(
      messageOf({ host, pull: talk.pull, news, logs, attempt, maxAttempts, conflicts }),
      mask,
    );
    const event = masked(
      {
        ...{
          type: "session.follow_handed_over" as const,
          pull_request: pull,
          attempt,
          max_attempts: maxAttempts,
        },
        failed_checks: news.checks.map(({ name }) => name),
        comments: news.comments.map(({ author, url: at }) => ({ author: author.name, url: at })),
        ...{ conflict: news.hasConflict, left_out: [...found.leftOut] },
      },
      mask,
    );
    const answers = news.comments.map(({ key, thread, author, url: at }) => ({
      ...{ key, thread, author: author.name, url: at },
    }));
    try {
      await requireWorkAllowed(db.read, limits, session, [{ type: "user.message", content }]);
      const keys = [...found.taken, ...keysOf(news, found.head)].filter(
        (key) => !this.#follow.taken.includes(key),
      );
      await db.transaction((tx) =>
        handOver(tx, this.#claim, { event, content, keys, head: found.head, answers, waitMs: times.lookMs }),
      );
      hub.publish(sessionId, true);
    } catch (error) {
      // It takes no message now, or its owner may start no work.
      if (!(error instanceof HandOverRejected) && !(error instanceof ApiError)) throw error;
      await this.#next({ ...found, gathered: keysOf(news, found.head) }, false);
    }
  }

  /** Says at the host that the request is no longer followed. A host that does not let it is not asked for ever. */
  async #sayStopped(): Promise<void> {
    const { resourceId, sessionId, stoppedReason, branch, number, failures } = this.#follow;
    const access = resourceId === null ? null : await repositoryAccess(this.#deps.db.read, resourceId);
    if (access === null || stoppedReason === null) return await this.#store({ waitMs: null });
    try {
      const opened = openHostOf(this.#deps, access);
      await opened.host.converse(opened.repository, async (pulls) => {
        const pull = (await pulls.list(opened.repository, branch ?? "")).find((one) => one.number === number);
        if (pull === undefined) return;
        const comments = await pulls.comments(opened.repository, pull);
        const talk = new Talk(pulls, opened.repository, pull, comments, await pulls.account());
        const marker = announcementMarker(sessionId, stoppedReason);
        await talk.say(marker, opened.mask.mask(stopText(stoppedReason)));
      });
      await this.#store({ isAnnounced: true, waitMs: null });
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      const { transient = false, retryAfterMs } = error.fault;
      const isTried = transient && failures < MAX_STOP_FAILURES;
      const waitMs = isTried ? this.#waitAfter(failures, retryAfterMs) : null;
      await this.#store({ failure: error.message, failures: failures + 1, waitMs });
    }
  }

  async #failed(error: GitHostError): Promise<void> {
    const { kind, retryAfterMs } = error.fault;
    if (kind === "authentication" || kind === "forbidden")
      return await this.#stop("no_access", error.message);
    const { failures } = this.#follow;
    const waitMs = this.#waitAfter(failures, retryAfterMs);
    await this.#store({ failure: error.message, failures: failures + 1, waitMs });
  }

  #waitAfter(failures: number, retryAfterMs: number | null | undefined): number {
    const { lookMs } = this.#deps.times;
    const waitMs = Math.min(lookMs * 2 ** Math.min(failures + 1, 10), lookMs * MOST);
    return Math.min(Math.max(waitMs, retryAfterMs ?? 0), MAX_WAIT_MS);
  }

  async #stop(type: FollowStopReason["type"], message: string): Promise<void> {
    const { db, hub } = this.#deps;
    const { sessionId, claim } = this.#claim;
    const isStopped = await db.transaction((tx) => stopFollow(tx, sessionId, claim, { type, message }));
    if (isStopped) hub.publish(sessionId, false);
  }

  /** Stores what was found, and when to look next: soon if something happens, else later each time. */
  async #next(found: Partial<LookOutcome>, isActive: boolean): Promise<void> {
    const { lookMs } = this.#deps.times;
    const later = Math.min(Math.max(this.#follow.waitMs * 2, lookMs), lookMs * MOST);
    await this.#store({ ...found, waitMs: isActive ? lookMs : later });
  }

  async #store(found: Partial<LookOutcome>): Promise<void> {
    await storeLook(this.#deps.db.write, this.#claim, { ...unchanged(this.#follow), ...found });
  }
}

/** A pull request with what was said about it. */
class Talk {
  readonly pull: FoundPull;
  readonly comments: readonly PullComment[];
  readonly #pulls: PullConversation;
  readonly #repository: string;
  readonly #account: string | null;

  constructor(
    pulls: PullConversation,
    repository: string,
    pull: FoundPull,
    comments: readonly PullComment[],
    account: string | null,
  ) {
    this.#pulls = pulls;
    this.#repository = repository;
    this.pull = pull;
    this.comments = comments;
    this.#account = account;
  }

  /** Whether the credential that asks wrote a comment, or Berth did. */
  isOwn({ author, text }: PullComment): boolean {
    return this.#isAsker(author) || text.includes(`(${MARKER} `);
  }

  /** Whether something was said after a comment by the credential that asks, in its thread or on the whole request. */
  isAnswered(key: string, thread: string | null): boolean {
    const at = this.comments.findIndex((one) => one.key === key);
    return this.comments
      .slice(at + 1)
      .some((one) => one.thread === thread && this.#isAsker(one.author) && !isAnnouncement(one));
  }

  /** An app has no account, but its comments are those of a bot. */
  #isAsker({ id, isBot }: PullComment["author"]): boolean {
    return this.#account === null ? isBot : id === this.#account;
  }

  async mayWrite(author: PullComment["author"]): Promise<boolean> {
    return await this.#pulls.mayWrite(this.#repository, author);
  }

  async log(check: Parameters<PullConversation["log"]>[2]): Promise<string | null> {
    return await this.#pulls.log(this.#repository, this.pull, check);
  }

  /** Says something on the whole request, unless that was said already. */
  async say(marker: string, text: string): Promise<void> {
    if (!this.#has(marker)) await this.#pulls.comment(this.#repository, this.pull, withMarker(text, marker));
  }

  async reply(marker: string, thread: string, text: string): Promise<void> {
    if (!this.#has(marker))
      await this.#pulls.reply(this.#repository, this.pull, thread, withMarker(text, marker));
  }

  #has(marker: string): boolean {
    return this.comments.some(
      ({ author, text }) =>
        text.includes(`(${marker})`) && (this.#account === null || author.id === this.#account),
    );
  }
}

function isAnnouncement({ text }: PullComment): boolean {
  return /\(berth-follow \S+ (started|stopped \w+)\)/.test(text);
}

function checkKey(name: string, head: string): string {
  return `check:${head}:${name}`;
}

function conflictKey(head: string): string {
  return `conflict:${head}`;
}

function keysOf({ checks, comments, hasConflict }: News, head: string): string[] {
  return [
    ...checks.map(({ name }) => checkKey(name, head)),
    ...comments.map(({ key }) => key),
    ...(hasConflict ? [conflictKey(head)] : []),
  ];
}

/** Whether two commits are the same: some hosts give the first characters only. */
function isSameCommit(one: string, other: string): boolean {
  return one.length >= 12 && other.length >= 12 && (one.startsWith(other) || other.startsWith(one));
}

function masked<T>(value: T, mask: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_name, one) => (typeof one === "string" ? mask(one) : one)) as T;
}
