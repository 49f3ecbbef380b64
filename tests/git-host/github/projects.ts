import type { Token } from "../tokens.ts";

export interface Comment {
  author: string;
  body: string;
  /** Default: when it was read first. */
  at?: Date;
}

/** A comment on a line of a pull request, or an answer to one. */
export interface LineComment {
  id: number;
  author: string;
  body: string;
  path: string;
  line: number;
  /** The comment that it answers; null for none. */
  answers: number | null;
  at: Date;
}

interface Numbered {
  number: number;
  title: string;
  body: string;
  author: string;
  createdAt: string;
  comments: Comment[];
}

export interface Issue extends Numbered {
  kind: "issue";
  state: "OPEN" | "CLOSED";
}

/** A check of the head commit: as GitHub tells them apart, a check run or a commit status. */
export interface HostCheck {
  name: string;
  state: "success" | "failure" | "pending";
  by: "run" | "status";
  url?: string;
  /** Of a job of the host's own CI: what it wrote. */
  log?: string;
  /** When its step ran that failed. */
  step?: { started_at: string; completed_at: string };
  /** What the check itself says. */
  summary?: string;
}

export interface HostReview {
  author: string;
  state: "approved" | "changes_requested" | "commented";
  at: Date;
  body?: string;
}

export interface PullRequest extends Numbered {
  kind: "pull request";
  state: "OPEN" | "CLOSED" | "MERGED";
  updatedAt: Date;
  /** Whether its head can be merged; null while the host does not know. */
  mergeable: boolean | null;
  checks: HostCheck[];
  /** The checks of a commit, in place of `checks`. */
  ci?: (sha: string) => HostCheck[];
  lines: LineComment[];
  reviews: HostReview[];
  /** Who was asked for a review. */
  awaited: string[];
  /** Whether its head is a branch of another repository. */
  fromFork: boolean;
  draft: boolean;
  base: string;
  head: string;
  /** The head commit of `head` when the pull request was opened. */
  headOid: string;
}

export type Discussion = Issue | PullRequest;

/** The issues and pull requests of one repository, which share one sequence of numbers. */
export class Project {
  readonly discussions: Discussion[] = [];
  /** Reactions to comments and discussions, by the path of what they are on. */
  readonly reactions: { user: string; at: string; content: string }[] = [];
  /** What people may do, by their names: nothing by default. */
  readonly rights = new Map<string, "admin" | "write" | "read">();

  get issues(): Issue[] {
    return this.discussions.filter((one) => one.kind === "issue");
  }

  get pullRequests(): PullRequest[] {
    return this.discussions.filter((one) => one.kind === "pull request");
  }

  openIssue(author: string, { title, body }: { title: string; body: string }): Issue {
    const issue: Issue = { ...this.#next(author, title, body), kind: "issue", state: "OPEN" };
    this.discussions.push(issue);
    return issue;
  }

  openPullRequest(
    { user }: Pick<Token, "user">,
    fields: Pick<PullRequest, "title" | "body" | "draft" | "base" | "head" | "headOid">,
  ): PullRequest {
    const own = this.#next(user, fields.title, fields.body);
    const pullRequest: PullRequest = {
      ...{ ...own, ...fields, kind: "pull request", state: "OPEN", updatedAt: new Date() },
      ...{ mergeable: true, checks: [], lines: [], reviews: [], awaited: [], fromFork: false },
    };
    this.discussions.push(pullRequest);
    return pullRequest;
  }

  /** Merges or closes a pull request, or makes it a draft or not. */
  change(
    number: number,
    fields: Partial<Pick<PullRequest, "state" | "draft" | "title" | "mergeable">>,
  ): PullRequest {
    const found = this.numbered(number);
    if (found?.kind !== "pull request") throw new Error(`There is no pull request ${number}.`);
    return Object.assign(found, fields, { updatedAt: new Date() });
  }

  /** Comments on a line of a pull request, or answers a comment. */
  commentLine(
    number: number,
    { answers = null, ...fields }: Pick<LineComment, "author" | "body"> & Partial<LineComment>,
  ): LineComment {
    const found = this.numbered(number);
    if (found?.kind !== "pull request") throw new Error(`There is no pull request ${number}.`);
    const asked = found.lines.find(({ id }) => id === answers);
    const at = { path: asked?.path ?? "README.md", line: asked?.line ?? 1 };
    const comment = { id: 500 + found.lines.length, ...at, answers, at: new Date(), ...fields };
    found.lines.push(comment);
    return comment;
  }

  numbered(number: number): Discussion | null {
    return this.discussions.find((one) => one.number === number) ?? null;
  }

  #next(author: string, title: string, body: string): Numbered {
    const number = this.discussions.length + 1;
    return { number, title, body, author, createdAt: new Date().toISOString(), comments: [] };
  }
}
