import type { Session } from "@berth/sdk";
import { createContext, useContext } from "react";
import type { SessionActions } from "./use-session-actions.ts";

export type SessionScope = {
  session: Session;
  actions: SessionActions;
  /** Whether the session accepts no further events, from anybody or from this user. */
  closed: boolean;
  /** Whether it is another user's, who shared it for following it alone. */
  follows: boolean;
  /** Shows an event: its row, or else the event in the events panel. */
  showEvent: (id: string) => void;
};

export const SessionContext = createContext<SessionScope | null>(null);

/** Returns the session of the screen. Throws outside of one. */
export function useSession(): SessionScope {
  const scope = useContext(SessionContext);
  if (scope === null) throw new Error("There is no session around this component.");
  return scope;
}
