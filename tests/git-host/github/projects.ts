import type { Token } from "../tokens.ts";

export interface Comment {
  author: string;
  body: string;
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

export interface PullRequest extends Numbered {
  kind: "pull request";
  state: "OPEN" | "CLOSED";
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
    const pullRequest: PullRequest = { ...own, ...fields, kind: "pull request", state: "OPEN" };
    this.discussions.push(pullRequest);
    return pullRequest;
  }

  numbered(number: number): Discussion | null {
    return this.discussions.find((one) => one.number === number) ?? null;
  }

  #next(author: string, title: string, body: string): Numbered {
    const number = this.discussions.length + 1;
    return { number, title, body, author, createdAt: new Date().toISOString(), comments: [] };
  }
}
