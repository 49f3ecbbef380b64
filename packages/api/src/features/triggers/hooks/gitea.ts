import { authorAt, commented, other, wholeOf } from "./github.ts";
import {
  at,
  type HookEvent,
  type Json,
  listAt,
  mentions,
  numberAt,
  oneLine,
  repositoryAt,
  textAt,
  type Words,
} from "./hook-event.ts";

/**
 * Reads a delivery of Gitea or Forgejo, whose bodies have GitHub's shape, except that a change of labels does not say
 * which one is new.
 */
export function readGitea(event: string, body: Json, words: Words): HookEvent {
  const action = textAt(body, "action");
  const name = action === null ? event : `${event}.${action}`;
  const repository = repositoryAt(body, "repository.full_name");
  const common = { name, repository, author: authorAt(body, "sender") };
  const isPull = numberAt(body, "pull_request.number") !== null;
  if (!isPull && numberAt(body, "issue.number") === null) return other(common, body);
  const path = isPull ? "pull_request" : "issue";
  const kind = isPull || at(body, "is_pull") === true ? "pull" : "issue";
  const whole = wholeOf(repository, { kind, path }, body);
  if (action === "label_updated" || action === "labeled") {
    const labels = listAt(body, `${path}.labels`).map((label) => textAt(label, "name"));
    const isAsked = words.label !== null && labels.includes(words.label);
    return { ...common, ...whole, ask: isAsked ? "labels" : null, summary: whole.said("labelled") };
  }
  if (action === "opened") {
    const labels = listAt(body, `${path}.labels`).map((label) => textAt(label, "name"));
    const isLabelled = words.label !== null && labels.includes(words.label);
    const ask = isLabelled ? "labels" : mentions(whole.body, words.mention) ? "mention" : null;
    return { ...common, ...whole, ask, summary: whole.said("opened") };
  }
  if (action === "created" && textAt(body, "comment.body") !== null)
    return { ...common, ...commented(whole, body, "comment", words) };
  if (textAt(body, "review.content") !== null) {
    const review = { ...body, review: { body: textAt(body, "review.content"), user: at(body, "sender") } };
    return { ...common, ...commented(whole, review, "review", words) };
  }
  return { ...common, ...whole, ask: null, texts: [], summary: `The event '${oneLine(name)}' happened.` };
}
