import type { FoundPull, PullDetails, PullSource } from "./pull-requests.ts";

/** Somebody at a host. */
export interface HostAuthor {
  /** The name that the host shows. */
  name: string;
  /** By which the host's API is asked for the account; the name if it is the same. */
  id: string;
  /** Whether it is a program's account. */
  isBot: boolean;
}

/** A review, or a comment on a pull request or on lines of it. */
export interface PullComment {
  /** Unique among those of the pull request. */
  key: string;
  author: HostAuthor;
  /** Empty for a review that only requests changes. */
  text: string;
  requestsChanges: boolean;
  /** The file that it is about, with the line if the host says it; null for the whole request. */
  place: string | null;
  /** An address of the host itself, or null. */
  url: string | null;
  /** To what an answer is sent; null if the host can only be told on the whole request. */
  thread: string | null;
  createdAt: Date | null;
}

/** A check that failed, with what it takes to ask the host why. */
export interface FailedCheck {
  name: string;
  url: string | null;
  /** By which its log is asked for; null if the host has none. */
  log: string | null;
  /** What the check itself says; null if it says nothing. */
  summary: string | null;
}

/** An issue or a pull request, and where in it something is said. */
export interface HostPlace {
  kind: "issue" | "pull";
  number: number;
  /** The comment that is answered, by the host's id; null for none. */
  comment: string | null;
  /** Whether the comment is on a line of a change, with answers of its own. */
  on: "whole" | "line";
}

/** What following a pull request needs of a host, asked with one credential. All methods reject with GitHostError. */
export interface PullConversation extends PullSource {
  /** Returns the id of the account that asks; null if the host does not say it. */
  account(): Promise<string | null>;
  /** Returns all reviews and comments, oldest first. */
  comments(repository: string, pull: FoundPull): Promise<PullComment[]>;
  /** Whether somebody may push to the repository, as far as the host says it to the credential. */
  mayWrite(repository: string, author: HostAuthor): Promise<boolean>;
  /** Returns the end of a failed check's log, or null if the host gives none. */
  log(repository: string, pull: FoundPull, check: FailedCheck): Promise<string | null>;
  comment(repository: string, pull: FoundPull, text: string): Promise<void>;
  /** Answers in the thread of a comment. */
  reply(repository: string, pull: FoundPull, thread: string, text: string): Promise<void>;
  /**
   * Returns the branch of an open pull request, if it is one of the repository itself; else null. Absent at hosts whose
   * deliveries of comments name it.
   */
  ownBranch?(repository: string, number: number): Promise<string | null>;
  /** Returns what was said at a place since a time, as far as one page has it. */
  texts(repository: string, place: HostPlace, since: Date): Promise<string[]>;
  /** Says something at a place, in the thread of its comment where that has one. */
  say(repository: string, place: HostPlace, text: string): Promise<void>;
  /** Shows that somebody looks at a place. Does nothing at hosts without reactions. */
  react(repository: string, place: HostPlace): Promise<void>;
}

/** Returns the checks that failed, each once. */
export function failedChecks({ checks }: PullDetails): FailedCheck[] {
  const failed = (checks ?? []).filter(({ state }) => state === "failed");
  return [...new Map(failed.map((check) => [check.name, check])).values()].map(
    ({ name, url, log = null, summary = null }) => ({ name, url, log, summary }),
  );
}

/** Orders comments by their time. */
export function oldestFirst(comments: readonly PullComment[]): PullComment[] {
  const timeOf = ({ createdAt }: PullComment) => createdAt?.getTime() ?? 0;
  return [...comments].sort((one, other) => timeOf(one) - timeOf(other));
}
