import { WEBHOOK_TEST, type WebhookEvent } from "@berth/contract";
import type { EventSubject } from "./delivery-store.ts";

/** What people are told of an event: one line, and where to look. */
export interface EventMessage {
  text: string;
  /** Null for an object without a page, or if the service's address is not known. */
  link: string | null;
}

/** Pages of the console, by the noun of the event. */
const PAGES: Readonly<Record<string, string>> = {
  session: "sessions",
  agent: "agents",
  environment: "environments",
  vault: "vaults",
  memory_store: "memory",
};

type Say = (what: string, whom: string, subject: EventSubject) => string;

const SESSION: Readonly<Record<string, Say>> = {
  created: (what, whom) => `${what} was created for ${whom}`,
  updated: (what) => `${what} was changed`,
  status_run_started: (what) => `${what} works`,
  status_idled: (what, whom) => `${what} has ended its turn and waits for ${whom}`,
  requires_action: (what, whom) => `${what} waits for ${whom} to answer a call`,
  budget_reached: (what, whom) => `${what} has reached a budget and waits for ${whom}`,
  failed: (what, whom) => `${what} has failed and waits for ${whom}`,
  status_rescheduled: (what) => `${what} is tried again`,
  status_terminated: (what) => `${what} was terminated`,
  archived: (what) => `${what} was archived`,
  deleted: (what) => `${what} was deleted`,
};

const MAX_TITLE = 200;

/** @param consoleUrl base of the console's pages; null if it is not known. */
export function messageOf(
  { data }: WebhookEvent,
  subject: EventSubject,
  consoleUrl: string | null,
): EventMessage {
  const [noun = "", verb = ""] = data.type.split(".");
  const page = noun === "vault_credential" ? null : (PAGES[noun] ?? null);
  const id = noun === "vault_credential" ? (data.vault_id ?? "") : data.id;
  const path = noun === "vault_credential" ? `vaults/${id}` : page === null ? null : `${page}/${id}`;
  const link = consoleUrl === null || path === null || verb === "deleted" ? null : `${consoleUrl}/${path}`;
  if (data.type === WEBHOOK_TEST) return { text: "Berth tests this webhook", link };
  const { title, agent, owner, pull_request: pr } = subject;
  const whom = owner ?? "its organization";
  const name = oneLine(title ?? "");
  const what = `${name === "" ? `Session ${data.id}` : `“${name}”`}${agent === null ? "" : ` (${oneLine(agent)})`}`;
  if (noun === "session")
    return { text: (SESSION[verb] ?? (() => `${data.type}: ${data.id}`))(what, whom, subject), link };
  if (noun === "pull_request") {
    const request = `Pull request #${data.number}${pr === null ? "" : ` “${oneLine(pr.title)}”`} of ${what}`;
    const state = verb === "opened" ? `was opened and waits for ${whom}` : `was ${verb}`;
    return { text: `${request} ${state}`, link: pr?.url ?? link };
  }
  const did = noun === "deployment_run" ? "has" : "was";
  return {
    text: `${noun.replaceAll("_", " ")} ${data.id} ${did} ${verb}`.replace(/^./, (first) =>
      first.toUpperCase(),
    ),
    link,
  };
}

/** Returns a text of users on one line, cut. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE)}…`;
}

/** Returns the body for an incoming webhook of Slack, in which three characters have a meaning. */
export function slackBody({ text, link }: EventMessage): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return JSON.stringify({ text: link === null ? escaped : `${escaped}: <${link}>` });
}
