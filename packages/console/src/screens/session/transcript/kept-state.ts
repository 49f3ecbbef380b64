import { createContext, useContext, useState } from "react";

/** The state of rows, kept while they are scrolled out of view and therefore unmounted. */
export const KeptState = createContext<Map<string, unknown>>(new Map());

/** Returns a row's state that survives unmounting. */
export function useKept<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const kept = useContext(KeptState);
  const [value, setValue] = useState<Value>(() => (kept.has(key) ? (kept.get(key) as Value) : initial));
  const keep = (next: Value) => {
    kept.set(key, next);
    setValue(next);
  };
  return [value, keep];
}
