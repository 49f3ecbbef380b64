import { threadOf } from "./github.ts";
import {
  askOf,
  branchAt,
  type ForeignText,
  type HookAuthor,
  type HookEvent,
  idAt,
  type Json,
  listAt,
  mentions,
  numberAt,
  oneLine,
  type Place,
  repositoryAt,
  textAt,
  urlAt,
  type Words,
} from "./hook-event.ts";

/** Reads a delivery of GitLab, as in "Webhook events": issues, merge requests, and comments on them. */
export function readGitLab(body: Json, words: Words): HookEvent {
  const kind = textAt(body, "object_kind") ?? textAt(body, "event_name") ?? "event";
  const action = textAt(body, "object_attributes.action");
  const name = action === null ? kind : `${kind}.${action}`;
  const repository = repositoryAt(body, "project.path_with_namespace");
  const author = authorOf(body);
  const said = oneLine(author?.name ?? "Somebody");
  const common = { name, repository, author };
  if (kind === "note") {
    const isPull = textAt(body, "object_attributes.noteable_type") === "MergeRequest";
    const whole = wholeOf(body, repository, isPull ? "merge_request" : "issue");
    const text = textAt(body, "object_attributes.note") ?? "";
    const isNew = action === null || action === "create";
    const place: Place | null =
      whole.place?.type === "discussion"
        ? { ...whole.place, comment: idAt(body, "object_attributes.id") }
        : null;
    return {
      ...common,
      ...whole,
      ...{ ask: isNew && text.trim() !== "" ? askOf(text, words) : null, place },
      url: urlAt(body, "object_attributes.url") ?? whole.url,
      texts: [{ title: `Comment by ${said}`, context: `What ${said} asks.`, text }, ...whole.texts],
      summary: `${said} commented on ${whole.what}.`,
    };
  }
  if (kind === "issue" || kind === "merge_request") {
    const whole = wholeOf(body, repository, "object_attributes", kind === "merge_request");
    const labels = (path: string) => listAt(body, path).map((label) => textAt(label, "title"));
    const isLabelled =
      words.label !== null &&
      (labels("changes.labels.current").includes(words.label) ||
        (action === "open" && labels("labels").includes(words.label))) &&
      !labels("changes.labels.previous").includes(words.label);
    const isMentioned =
      action === "open" && mentions(textAt(body, "object_attributes.description") ?? "", words.mention);
    return {
      ...common,
      ...whole,
      ask: isLabelled ? "label" : isMentioned ? "mention" : null,
      summary: `${said} ${isLabelled ? "labelled" : "wrote"} ${whole.what}.`,
    };
  }
  const ref = textAt(body, "ref")?.replace(/^refs\/heads\//, "") ?? textAt(body, "object_attributes.ref");
  return {
    ...common,
    ...{ ask: null, thread: null, place: null, texts: [], branch: branchAt({ ref }, "ref") },
    url: urlAt(body, "object_attributes.url") ?? urlAt(body, "project.web_url"),
    summary: `The event '${oneLine(name)}' happened.`,
  };
}

function wholeOf(body: Json, repository: string | null, path: string, isPull = path === "merge_request") {
  const number = numberAt(body, `${path}.iid`);
  const title = textAt(body, `${path}.title`) ?? "";
  const text = textAt(body, `${path}.description`) ?? "";
  const kind = isPull ? ("pull" as const) : ("issue" as const);
  const noun = isPull ? "merge request" : "issue";
  const sign = isPull ? "!" : "#";
  const known = repository !== null && number !== null;
  const place: Place | null = known
    ? { type: "discussion", repository, kind, number, comment: null, on: "whole" }
    : null;
  const ownBranch = isPull && textAt(body, `${path}.source.path_with_namespace`) === repository;
  const whole: ForeignText = {
    title: `${isPull ? "Merge request" : "Issue"} ${sign}${number}: ${oneLine(title)}`,
    context: "Written by its author, who may not be allowed to write to the repository.",
    text: `${title}\n\n${text}`,
  };
  return {
    // Issues and merge requests are counted apart.
    thread: known ? threadOf(`${repository}${isPull ? "!" : ""}`, number) : null,
    place,
    url: urlAt(body, `${path}.url`),
    branch: ownBranch ? branchAt(body, `${path}.source_branch`) : null,
    texts: [whole],
    what: `${noun} ${sign}${number} (${oneLine(title)}) of ${repository}`,
  };
}

function authorOf(body: Json): HookAuthor | null {
  const name = textAt(body, "user.username") ?? textAt(body, "user_username");
  const id = idAt(body, "user.id") ?? idAt(body, "user_id");
  if (name === null || id === null) return null;
  // A user name of digits could be somebody else's id.
  const handles = /^\d+$/.test(name) ? [id] : [name, id];
  return { name, id, handles, isBot: /^(project|group)_\d+_bot/.test(name) };
}
