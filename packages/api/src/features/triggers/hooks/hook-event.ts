/** A part of a delivery's body. Nothing of it is trusted. */
export type Json = Record<string, unknown>;

/** Somebody at the sender. */
export interface HookAuthor {
  /** The name that people see. At some senders anybody may choose that of somebody else. */
  name: string;
  /** By which the sender's API is asked for the account; the name if it is the same. */
  id: string;
  /** What the sender gives to one account alone, by which it is allowed: ids, login names, addresses. */
  handles: readonly string[];
  isBot: boolean;
}

/** Where something was asked, and is answered. */
export type Place =
  | {
      type: "discussion";
      repository: string;
      kind: "issue" | "pull";
      number: number;
      /** The comment that asked, by the host's id; null for the issue or request itself. */
      comment: string | null;
      /** The kind of comment: on the whole or on a line. */
      on: "whole" | "line";
    }
  | { type: "linear"; issue: string; parent: string | null }
  | { type: "jira"; issue: string }
  | { type: "slack"; channel: string; thread: string; message: string };

/** A text that somebody else wrote. */
export interface ForeignText {
  title: string;
  /** Who wrote it and where, in one sentence. */
  context: string;
  text: string;
}

/** What was read of a delivery. */
export interface HookEvent {
  /** The sender's name of the event, with the action if it has one: `issues.labeled`. */
  name: string;
  /**
   * Whether it asks for a session: by a label, which may have been there before (`labels`), by a mention, or as a
   * later word (`reply`), which counts where there is a session already. Null: only if the filter has the event.
   */
  ask: "label" | "labels" | "mention" | "reply" | null;
  author: HookAuthor | null;
  /** Full name, such as `acme/widget`; null for a sender without repositories. */
  repository: string | null;
  /** Branch of the repository that it is about; null for the default one. */
  branch: string | null;
  /** What belongs together; null for a session of its own. */
  thread: string | null;
  place: Place | null;
  /** What happened, in one sentence of Berth. */
  summary: string;
  /** An address of the sender's pages, or null. */
  url: string | null;
  /** Empty: the body itself. */
  texts: ForeignText[];
}

/** What an event says of itself, by which it is told apart. */
export interface Words {
  label: string | null;
  mention: string | null;
}

/** Returns a member of a body, and nothing that objects inherit. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Json)[name]
    : undefined;
}

/** Returns what a body has at a path, such as `issue.labels.0.name`; undefined if it has nothing there. */
export function at(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(member, body);
}

/** Returns a text that is not empty, or null. */
export function textAt(body: unknown, path: string): string | null {
  const found = at(body, path);
  return typeof found === "string" && found !== "" ? found : null;
}

/** Returns a whole number as text, or a text; null for anything else. */
export function idAt(body: unknown, path: string): string | null {
  const found = at(body, path);
  return Number.isSafeInteger(found) ? `${found}` : textAt(body, path);
}

export function numberAt(body: unknown, path: string): number | null {
  const found = at(body, path);
  return Number.isSafeInteger(found) && (found as number) > 0 ? (found as number) : null;
}

export function listAt(body: unknown, path: string): unknown[] {
  const found = at(body, path);
  return Array.isArray(found) ? found : [];
}

/** Returns an address of the web, or null. */
export function urlAt(body: unknown, path: string): string | null {
  const found = textAt(body, path);
  return found !== null && found.length <= 2_048 && /^https?:\/\/[^\s<>"]+$/.test(found) ? found : null;
}

/** Returns the full name of a repository: segments of the characters that hosts allow; null for anything else. */
export function repositoryAt(body: unknown, path: string): string | null {
  const found = textAt(body, path);
  if (found === null || found.length > 512 || !/^[\w.-]+(\/[\w.-]+)+$/.test(found)) return null;
  return found.split("/").some((segment) => segment === "." || segment === "..") ? null : found;
}

/** Returns the name of a branch that a clone can check out, or null. */
export function branchAt(body: unknown, path: string): string | null {
  const found = textAt(body, path);
  return found !== null && /^(?![-./])[\w./-]{1,244}$/.test(found) && !/\.\.|\/\/|\.lock$|[./]$/.test(found)
    ? found
    : null;
}

/** Returns whether a text mentions somebody as a word, outside of quoted lines. */
export function mentions(text: string, mention: string | null): boolean {
  if (mention === null) return false;
  const own = text.replaceAll(/^[ \t]*>.*$/gm, "");
  const word = mention.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w@/.-])${word}(?![\\w-]|\\.\\w)`, "i").test(own);
}

/** Returns how a comment asks. */
export function askOf(text: string, { mention }: Words): "mention" | "reply" {
  return mentions(text, mention) ? "mention" : "reply";
}

/** Begins the line, invisible at git hosts, by which Berth knows what it wrote. */
export const MARKER = "berth-trigger";

/** Whether Berth itself wrote a text, for a trigger or while it follows a pull request. */
export function isOwnText(text: string): boolean {
  return /\(berth-(trigger|follow) /.test(text);
}

export function oneLine(text: string, most = 200): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most).toWellFormed()}…`;
}
