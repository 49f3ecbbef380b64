import {
  askOf,
  at,
  branchAt,
  type ForeignText,
  type HookAuthor,
  type HookEvent,
  idAt,
  type Json,
  mentions,
  numberAt,
  oneLine,
  type Place,
  repositoryAt,
  textAt,
  urlAt,
  type Words,
} from "./hook-event.ts";

/** What a discussion of an event is, and where the body has it. */
export interface Discussion {
  kind: "issue" | "pull";
  /** The path of the issue or the request in the body. */
  path: string;
}

/**
 * Reads a delivery of GitHub, as in "Webhook events and payloads": labels, issues, pull requests, reviews, and
 * comments on them. Null for a ping.
 */
export function readGitHub(event: string, body: Json, words: Words): HookEvent | null {
  if (event === "ping") return null;
  const action = textAt(body, "action");
  const name = action === null ? event : `${event}.${action}`;
  const sender = authorAt(body, "sender");
  const common = { name, repository: repositoryAt(body, "repository.full_name"), author: sender };
  const discussion = discussionOf(body);
  if (discussion === null) return other(common, body);
  const whole = wholeOf(common.repository, discussion, body);
  switch (name) {
    case "issues.labeled":
    case "pull_request.labeled": {
      const isAsked = words.label !== null && textAt(body, "label.name") === words.label;
      return { ...common, ...whole, ask: isAsked ? "label" : null, summary: whole.said("labelled") };
    }
    case "issues.opened":
    case "pull_request.opened": {
      const isAsked = mentions(whole.body, words.mention);
      return { ...common, ...whole, ask: isAsked ? "mention" : null, summary: whole.said("opened") };
    }
    case "issue_comment.created":
    case "pull_request_review_comment.created":
      return { ...common, ...commented(whole, body, "comment", words) };
    case "pull_request_review.submitted":
      return { ...common, ...commented(whole, body, "review", words) };
    default:
      return {
        ...common,
        ...whole,
        ask: null,
        texts: [],
        summary: `GitHub sent the event '${oneLine(name)}'.`,
      };
  }
}

/** Returns an event that counts only if the filter has it. */
export function other(common: Pick<HookEvent, "name" | "repository" | "author">, body: Json): HookEvent {
  const ref = textAt(body, "ref")?.replace(/^refs\/heads\//, "") ?? null;
  const isGone = at(body, "deleted") === true;
  const branch = isGone ? null : (branchAt({ ref }, "ref") ?? branchAt(body, "workflow_run.head_branch"));
  return {
    ...common,
    ...{ ask: null, branch, thread: null, place: null, texts: [] },
    url: urlAt(body, "compare") ?? urlAt(body, "workflow_run.html_url") ?? urlAt(body, "repository.html_url"),
    summary: `The event '${oneLine(common.name)}' happened.`,
  };
}

function discussionOf(body: Json): Discussion | null {
  if (numberAt(body, "pull_request.number") !== null) return { kind: "pull", path: "pull_request" };
  if (numberAt(body, "issue.number") === null) return null;
  const isPull = typeof at(body, "issue.pull_request") === "object";
  return { kind: isPull ? "pull" : "issue", path: "issue" };
}

type Whole = Pick<HookEvent, "thread" | "place" | "url" | "branch" | "texts"> & {
  body: string;
  said(verb: string): string;
};

/** Returns the issue or the pull request of a body in the shape of GitHub, which Gitea has, too. */
export function wholeOf(repository: string | null, { kind, path }: Discussion, body: Json): Whole {
  const number = numberAt(body, `${path}.number`);
  const title = textAt(body, `${path}.title`) ?? "";
  const text = textAt(body, `${path}.body`) ?? "";
  const author = textAt(body, `${path}.user.login`) ?? "somebody";
  const what = `${kind === "pull" ? "pull request" : "issue"} #${number} (${oneLine(title)}) of ${repository}`;
  const isOwnBranch = textAt(body, `${path}.head.repo.full_name`) === repository;
  const place: Place | null =
    repository === null || number === null
      ? null
      : { type: "discussion", repository, kind, number, comment: null, on: "whole" };
  return {
    thread: repository === null || number === null ? null : threadOf(repository, number),
    place,
    url: urlAt(body, `${path}.html_url`),
    branch: isOwnBranch ? branchAt(body, `${path}.head.ref`) : null,
    body: text,
    texts: [
      {
        title: `${kind === "pull" ? "Pull request" : "Issue"} #${number}: ${oneLine(title)}`,
        context: `Written by ${oneLine(author)}, who may not be allowed to write to the repository.`,
        text: `${title}\n\n${text}`,
      },
    ],
    said: (verb) => `${oneLine(textAt(body, "sender.login") ?? "Somebody")} ${verb} ${what}.`,
  };
}

export function threadOf(repository: string, number: number): string {
  return `${repository.toLowerCase()}#${number}`;
}

/** Returns what a comment, or a review, at a path of the body asks. */
export function commented(whole: Whole, body: Json, path: string, words: Words) {
  const text = textAt(body, `${path}.body`) ?? "";
  const author = authorAt(body, `${path}.user`);
  const name = oneLine(author?.name ?? "somebody");
  const file = textAt(body, `${path}.path`);
  const comment: ForeignText = {
    title: `Comment by ${name}${file === null ? "" : ` on ${oneLine(file)}`}`,
    context: `What ${name} asks.`,
    text,
  };
  const hunk = textAt(body, `${path}.diff_hunk`);
  const about =
    hunk === null
      ? []
      : [{ title: "What the comment is about", context: "A part of the change.", text: hunk }];
  const on = file === null ? ("whole" as const) : ("line" as const);
  const place =
    whole.place?.type === "discussion" ? { ...whole.place, on, comment: idAt(body, `${path}.id`) } : null;
  return {
    ...whole,
    ...{ ask: text.trim() === "" ? null : askOf(text, words), author },
    place: path === "review" ? whole.place : place,
    url: urlAt(body, `${path}.html_url`) ?? whole.url,
    texts: [comment, ...about, ...whole.texts],
    summary: whole.said("commented on"),
  };
}

export function authorAt(body: Json, path: string): HookAuthor | null {
  const login = textAt(body, `${path}.login`);
  if (login === null) return null;
  return { name: login, id: login, handles: [login], isBot: textAt(body, `${path}.type`) === "Bot" };
}
