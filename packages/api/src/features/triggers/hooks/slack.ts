import { type HookEvent, type Json, oneLine, textAt } from "./hook-event.ts";

/** Reads a delivery of Slack's Events API: mentions of the app, messages to it, and what follows in their threads. */
export function readSlack(body: Json): HookEvent {
  const name = textAt(body, "event.type") ?? "event";
  const [user, channel] = [textAt(body, "event.user"), textAt(body, "event.channel")];
  const [message, thread] = [textAt(body, "event.ts"), textAt(body, "event.thread_ts")];
  const text = textAt(body, "event.text") ?? "";
  const isBot = textAt(body, "event.bot_id") !== null;
  const author = user === null ? null : { id: user, name: user, handles: [user], isBot };
  const common = { name, author, repository: null, branch: null, url: null };
  const isId = (one: string | null): one is string => one !== null && /^[A-Z0-9.]{1,64}$/.test(one);
  if (!isId(channel) || !isId(message) || (thread !== null && !isId(thread)))
    return {
      ...common,
      ...{ ask: null, thread: null, place: null, texts: [] },
      summary: `The event '${oneLine(name)}' happened.`,
    };
  const first = thread ?? message;
  return {
    ...common,
    ask: askOf(name, body, text),
    thread: `slack:${channel}:${first}`,
    place: { type: "slack", channel, thread: first, message },
    texts: [
      {
        title: `Message by ${user ?? "somebody"}`,
        context: `What ${user ?? "somebody"} asks at Slack.`,
        text,
      },
    ],
    summary: `${user ?? "Somebody"} wrote in the channel ${channel} of Slack.`,
  };
}

/** What mentions the app comes as `app_mention`, and as `message` once more, which is left out. */
function askOf(name: string, body: Json, text: string): "mention" | "reply" | null {
  if (name === "app_mention") return "mention";
  if (name !== "message" || textAt(body, "event.subtype") !== null || text.trim() === "") return null;
  if (textAt(body, "event.channel_type") === "im")
    return textAt(body, "event.thread_ts") === null ? "mention" : "reply";
  const own = textAt(body, "authorizations.0.user_id");
  const isMention = own === null ? text.includes("<@") : text.includes(`<@${own}>`);
  return isMention || textAt(body, "event.thread_ts") === null ? null : "reply";
}
