import {
  askOf,
  type HookEvent,
  type Json,
  listAt,
  mentions,
  oneLine,
  textAt,
  type Words,
} from "./hook-event.ts";

/** Reads a delivery of Jira, as in "Webhooks" of its developers' pages: comments, and labels of issues. */
export function readJira(body: Json, words: Words): HookEvent {
  const name = textAt(body, "webhookEvent") ?? "event";
  const isComment = name === "comment_created";
  const user = isComment ? "comment.author" : "user";
  const id = textAt(body, `${user}.accountId`) ?? textAt(body, `${user}.name`);
  const shown = textAt(body, `${user}.displayName`) ?? id;
  const isBot = textAt(body, `${user}.accountType`) === "app";
  const author = id === null || shown === null ? null : { id, name: shown, handles: [id], isBot };
  const said = oneLine(shown ?? "Somebody");
  const key = textAt(body, "issue.key");
  const common = { name, author, repository: null, branch: null, url: null };
  if (key === null || !/^[A-Z][A-Z0-9_]{0,254}-\d{1,18}$/.test(key))
    return {
      ...common,
      ...{ ask: null, thread: null, place: null, texts: [] },
      summary: `The event '${oneLine(name)}' happened.`,
    };
  const title = textAt(body, "issue.fields.summary") ?? "";
  const description = textAt(body, "issue.fields.description") ?? "";
  const text = textAt(body, "comment.body") ?? "";
  const whole = {
    title: `Issue ${key}: ${oneLine(title)}`,
    context: "The issue, as it is at Jira.",
    text: `${title}\n\n${description}`,
  };
  return {
    ...common,
    ask: isComment ? (text.trim() === "" ? null : askOf(text, words)) : askOfIssue(name, body, words),
    thread: `jira:${key}`,
    place: { type: "jira", issue: key },
    texts: isComment
      ? [{ title: `Comment by ${said}`, context: `What ${said} asks.`, text }, whole]
      : [whole],
    summary: `${said} ${isComment ? "commented on" : "changed"} ${key} (${oneLine(title)}).`,
  };
}

function askOfIssue(name: string, body: Json, { label, mention }: Words): "label" | "mention" | null {
  if (name === "jira:issue_created") {
    if (label !== null && listAt(body, "issue.fields.labels").includes(label)) return "label";
    return mentions(textAt(body, "issue.fields.description") ?? "", mention) ? "mention" : null;
  }
  const words = (text: string | null) => (text ?? "").split(" ");
  const isNew = listAt(body, "changelog.items").some(
    (item) =>
      label !== null &&
      textAt(item, "field") === "labels" &&
      words(textAt(item, "toString")).includes(label) &&
      !words(textAt(item, "fromString")).includes(label),
  );
  return isNew ? "label" : null;
}
