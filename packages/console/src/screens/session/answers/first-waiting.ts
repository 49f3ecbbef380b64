import { createContext, useContext } from "react";

export const FirstWaiting = createContext<string | null>(null);

/** Returns the id of the first waiting call, which keys answer. */
export function useFirstWaiting(): string | null {
  return useContext(FirstWaiting);
}
