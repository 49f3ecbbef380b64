import type { Session } from "@berth/sdk";
import { createContext, useContext } from "react";
import type { SessionActions } from "./use-session-actions.ts";

export type SessionScope = {
  session: Session;
  actions: SessionActions;
  /** Nothing more can be sent to the session. */
  closed: boolean;
  /** Shows an event: its row, or the event itself in the panel of events. */
  showEvent: (id: string) => void;
};

export const SessionContext = createContext<SessionScope | null>(null);

/** The session that the screen shows. */
export function useSession(): SessionScope {
  const scope = useContext(SessionContext);
  if (scope === null) throw new Error("There is no session around this component.");
  return scope;
}
