import {
  askOf,
  type HookEvent,
  idAt,
  type Json,
  listAt,
  mentions,
  oneLine,
  textAt,
  urlAt,
  type Words,
} from "./hook-event.ts";

/** Reads a delivery of Linear, as in "Webhooks" of its developers' pages: comments, and labels of issues. */
export function readLinear(body: Json, words: Words): HookEvent {
  const [type, action] = [textAt(body, "type") ?? "event", textAt(body, "action")];
  const name = action === null ? type : `${type}.${action}`;
  const id = textAt(body, "actor.id") ?? textAt(body, "data.userId");
  const shown = textAt(body, "actor.name") ?? textAt(body, "data.user.name") ?? id;
  const author =
    id === null || shown === null
      ? null
      : {
          ...{ id, name: shown, isBot: isProgram(textAt(body, "actor.type")) },
          handles: [id, textAt(body, "actor.email") ?? id],
        };
  const said = oneLine(author?.name ?? "Somebody");
  const isComment = type === "Comment";
  const found = isComment
    ? (textAt(body, "data.issueId") ?? textAt(body, "data.issue.id"))
    : textAt(body, "data.id");
  const issue = found !== null && /^[\w-]{1,64}$/.test(found) ? found : null;
  const common = {
    name,
    author,
    repository: null,
    branch: null,
    url: urlAt(body, "url") ?? urlAt(body, "data.url"),
  };
  if (issue === null || (!isComment && type !== "Issue"))
    return {
      ...common,
      ...{ ask: null, thread: null, place: null, texts: [] },
      summary: `The event '${oneLine(name)}' happened.`,
    };
  const path = isComment ? "data.issue" : "data";
  const [title, key] = [textAt(body, `${path}.title`) ?? "", idAt(body, `${path}.identifier`) ?? "an issue"];
  const what = `${oneLine(key)} (${oneLine(title)})`;
  const text = textAt(body, "data.body") ?? "";
  const description = textAt(body, `${path}.description`) ?? "";
  const whole = {
    title: `Issue ${oneLine(key)}: ${oneLine(title)}`,
    context: "The issue, as it is at Linear.",
    text: `${title}\n\n${description}`,
  };
  const parent = textAt(body, "data.parentId") ?? (isComment ? textAt(body, "data.id") : null);
  return {
    ...common,
    ask: isComment
      ? action === "create" && text.trim() !== ""
        ? askOf(text, words)
        : null
      : askOfIssue(body, action, words),
    thread: `linear:${issue}`,
    place: { type: "linear", issue, parent },
    texts: isComment
      ? [{ title: `Comment by ${said}`, context: `What ${said} asks.`, text }, whole]
      : [whole],
    summary: `${said} ${isComment ? "commented on" : "changed"} ${what}.`,
  };
}

function askOfIssue(
  body: Json,
  action: string | null,
  { label, mention }: Words,
): "label" | "mention" | null {
  const labels = listAt(body, "data.labels");
  const own = label === null ? undefined : labels.find((one) => textAt(one, "name") === label);
  const before = listAt(body, "updatedFrom.labelIds");
  const isChanged = Array.isArray((body.updatedFrom as Json | undefined)?.labelIds);
  const isNew =
    action === "create" || (action === "update" && isChanged && !before.includes(textAt(own, "id")));
  if (own !== undefined && isNew) return "label";
  const isMentioned = action === "create" && mentions(textAt(body, "data.description") ?? "", mention);
  return isMentioned ? "mention" : null;
}

function isProgram(type: string | null): boolean {
  return type !== null && type.toLowerCase() !== "user";
}
