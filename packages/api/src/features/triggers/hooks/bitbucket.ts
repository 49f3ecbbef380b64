import { threadOf } from "./github.ts";
import {
  askOf,
  branchAt,
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

/** Reads a delivery of Bitbucket Cloud, as in "Event payloads": it has comments, and no labels. */
export function readBitbucket(event: string, body: Json, words: Words): HookEvent {
  const repository = repositoryAt(body, "repository.full_name");
  const author = authorOf(body);
  const said = oneLine(author?.name ?? "Somebody");
  const common = { name: event, repository, author };
  const isPull = numberAt(body, "pullrequest.id") !== null;
  const path = isPull ? "pullrequest" : "issue";
  const number = numberAt(body, `${path}.id`);
  if (number === null || repository === null)
    return {
      ...common,
      ...{
        ask: null,
        thread: null,
        place: null,
        texts: [],
        branch: branchAt(body, "push.changes.0.new.name"),
      },
      url: urlAt(body, "repository.links.html.href"),
      summary: `The event '${oneLine(event)}' happened.`,
    };
  const kind = isPull ? ("pull" as const) : ("issue" as const);
  const title = textAt(body, `${path}.title`) ?? "";
  const text = textAt(body, `${path}.description`) ?? textAt(body, `${path}.content.raw`) ?? "";
  const comment = textAt(body, "comment.content.raw") ?? "";
  const isComment = event.endsWith(":comment_created") && comment.trim() !== "";
  const isOpened = event.endsWith(":created") && mentions(text, words.mention);
  const place: Place = {
    ...{ type: "discussion", repository, kind, number, on: "whole" },
    comment: isComment ? idAt(body, "comment.id") : null,
  };
  const isOwnBranch = textAt(body, `${path}.source.repository.full_name`) === repository;
  const what = `${isPull ? "pull request" : "issue"} #${number} (${oneLine(title)}) of ${repository}`;
  const whole = {
    title: `${isPull ? "Pull request" : "Issue"} #${number}: ${oneLine(title)}`,
    context: "Written by its author, who may not be allowed to write to the repository.",
    text: `${title}\n\n${text}`,
  };
  return {
    ...common,
    ask: isComment ? askOf(comment, words) : isOpened ? "mention" : null,
    // Issues and pull requests are counted apart.
    thread: threadOf(`${repository}${isPull ? "!" : ""}`, number),
    place,
    branch: isOwnBranch ? branchAt(body, `${path}.source.branch.name`) : null,
    url: urlAt(body, "comment.links.html.href") ?? urlAt(body, `${path}.links.html.href`),
    texts: isComment
      ? [{ title: `Comment by ${said}`, context: `What ${said} asks.`, text: comment }, whole]
      : [whole],
    summary: `${said} ${isComment ? "commented on" : "wrote"} ${what}.`,
  };
}

function authorOf(body: Json): HookAuthor | null {
  const handles = ["actor.uuid", "actor.account_id"].flatMap((path) => textAt(body, path) ?? []);
  const [id = null] = handles;
  const name = textAt(body, "actor.nickname") ?? textAt(body, "actor.display_name") ?? id;
  if (id === null || name === null) return null;
  return { name, id, handles, isBot: textAt(body, "actor.type") === "app_user" };
}
