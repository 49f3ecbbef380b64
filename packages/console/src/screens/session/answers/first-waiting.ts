import { createContext, useContext } from "react";

export const FirstWaiting = createContext<string | null>(null);

/** The call that waits first: keys answer this one. */
export function useFirstWaiting(): string | null {
  return useContext(FirstWaiting);
}
