import type { SessionEvent } from "@berth/sdk";
import type { ShownRow } from "./group-rows.ts";

const cache = new WeakMap<ShownRow, string>();

/** Returns a row's text in lower case, for the search in a session. */
export function searchableText(row: ShownRow): string {
  const known = cache.get(row);
  if (known !== undefined) return known;
  const text = textOf(row).toLowerCase();
  cache.set(row, text);
  return text;
}

/** Returns the indexes of the rows that contain the text. */
export function findRows(rows: readonly ShownRow[], sought: string): number[] {
  const words = sought.trim().toLowerCase();
  if (words === "") return [];
  return rows.flatMap((row, index) => (searchableText(row).includes(words) ? [index] : []));
}

function textOf(row: ShownRow): string {
  switch (row.kind) {
    case "input":
      return contentText(row.event.content);
    case "text":
    case "preview":
      return row.text;
    case "thinking":
    case "group":
      return "";
    case "call":
      return `${row.use.name} ${Object.values(row.use.input).map(plain).join("\n")}\n${contentText(row.result?.content ?? [])}`;
    case "setup":
      return row.steps.map(({ phase, note }) => `${phase} ${note ?? ""}`).join("\n");
    case "denied":
      return row.denials.map(({ host, reason }) => `${host} ${reason}`).join("\n");
    case "retries":
      return row.failures.map(noticeText).join("\n");
    case "notice":
      return noticeText(row.event);
    case "end":
      return row.stopReason.type;
  }
}

function noticeText(event: SessionEvent): string {
  if (event.type === "session.error") return `${event.error.type} ${event.error.message}`;
  if (event.type === "system.message") return contentText(event.content);
  return event.type;
}

function contentText(content: readonly { type: string; text?: string }[]): string {
  return content.map((block) => block.text ?? "").join("\n");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
