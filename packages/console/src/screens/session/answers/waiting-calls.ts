import { createContext, useContext } from "react";
import type { SessionView } from "../log/view.ts";

/** The calls that wait for an answer, by id: the first of them, and those that can be allowed. */
export type Waiting = { first: string | null; allowable: readonly string[] };

export const WaitingCalls = createContext<Waiting>({ first: null, allowable: [] });

/** Returns the waiting calls, of which keys answer the first. */
export function useWaitingCalls(): Waiting {
  return useContext(WaitingCalls);
}

/** Returns the waiting calls of a view. Those of custom tools take a result, so they cannot be allowed. */
export function waitingOf({ waiting, rows, open }: Pick<SessionView, "waiting" | "rows" | "open">): Waiting {
  const allowable = waiting.filter((id) => {
    const row = rows[open.calls.get(id) ?? -1];
    return row?.kind === "call" && row.use.type !== "agent.custom_tool_use";
  });
  return { first: waiting[0] ?? null, allowable };
}
