import { type Session, standingOf } from "@berth/sdk";
import { useSyncExternalStore } from "react";
import { berth } from "../../api/client.ts";
import { unseenQuery } from "../../api/queries/desk.ts";
import { queryClient } from "../../api/query-client.ts";
import { isNews, noteTold, readTold } from "../../api/told.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { STANDINGS } from "../../ui/standings.ts";

/**
 * Whether this browser notifies: `off` until the user asks for it, `blocked` if the browser forbids it for this
 * site, `impossible` if it cannot, such as over plain http.
 */
export type Notifying = "on" | "off" | "blocked" | "impossible";

const ON = "berth.notify";
/** One tab at a time decides what is told. */
const LOCK = "berth.notify";
/** Milliseconds in which a tab that shows the session marks it as seen. */
const SETTLE_MS = 5_000;
const listeners = new Set<() => void>();

export function useNotifying(): Notifying {
  return useSyncExternalStore(subscribe, notifying);
}

export function notifying(): Notifying {
  if (!isSecureContext || !("Notification" in window) || !("locks" in navigator)) return "impossible";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(ON) !== null ? "on" : "off";
}

/** Asks the browser, and notifies of what comes from now on. */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") {
    const { data } = await queryClient.fetchQuery({ ...unseenQuery, staleTime: 0 });
    noteTold(data);
    localStorage.setItem(ON, "on");
  }
  for (const listener of listeners) listener();
}

export function turnOff(): void {
  localStorage.removeItem(ON);
  for (const listener of listeners) listener();
}

/**
 * Shows a notification for each outcome among the unseen sessions that no tab of this browser has told yet, unless
 * somebody sees it within a moment. Its text is the session's title and state.
 */
export async function tellNews(unseen: readonly Session[], open: (sessionId: string) => void): Promise<void> {
  if (notifying() !== "on") return;
  const news = await navigator.locks.request(LOCK, () => {
    const [told, now] = [readTold(), Date.now()];
    noteTold(unseen);
    return unseen.filter((session) => isNews(told, session, now));
  });
  if (news.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await Promise.all(news.map((session) => tell(session, open)));
}

async function tell(before: Session, open: (sessionId: string) => void): Promise<void> {
  const session = await berth.sessions.get(before.id).catch(() => null);
  if (session?.unseen !== true || session.status !== "idle") return;
  const title = showUnseen(session.title) || "Untitled session";
  const tag = `${session.id} ${session.last_turn?.ended_at}`;
  const notification = new Notification(title, { body: STANDINGS[standingOf(session)].text, tag });
  notification.onclick = () => {
    window.focus();
    notification.close();
    open(session.id);
  };
}

/** The setting may be changed in another tab. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}
