import type { Deployment } from "@berth/sdk";
import { newKey } from "../../format/pairs.ts";

export type InitialEvent = Deployment["initial_events"][number];

/** A first message in the form. What is more than a text is kept as it is. */
export type MessageEntry = { key: string; text: string; kept: InitialEvent | null };

export function newMessage(text = ""): MessageEntry {
  return { key: newKey(), text, kept: null };
}

export function messageEntry(event: InitialEvent): MessageEntry {
  const [block, ...more] = event.type === "user.message" ? event.content : [];
  const isText = block?.type === "text" && more.length === 0;
  return isText ? newMessage(block.text) : { key: newKey(), text: messageText(event), kept: event };
}

/** Returns the events that a session starts with. Empty messages are left out. */
export function eventsOf(messages: readonly MessageEntry[]): InitialEvent[] {
  return messages.flatMap(({ text, kept }): InitialEvent[] => {
    if (kept !== null) return [kept];
    return text.trim() === ""
      ? []
      : [{ type: "user.message", content: [{ type: "text", text: text.trim() }] }];
  });
}

/** Returns an event as a text, with a word for each thing that is none. */
export function messageText(event: InitialEvent): string {
  if (!("content" in event)) return "An interrupt";
  return event.content.map((block) => ("text" in block ? block.text : `[${block.type}]`)).join("\n\n");
}
