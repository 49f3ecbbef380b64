import { createContext, useContext, useState } from "react";

/** What was opened in rows, kept while a row is out of sight and therefore not drawn. */
export const KeptState = createContext<Map<string, unknown>>(new Map());

/** State of a row that outlives its being drawn. */
export function useKept<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const kept = useContext(KeptState);
  const [value, setValue] = useState<Value>(() => (kept.has(key) ? (kept.get(key) as Value) : initial));
  const keep = (next: Value) => {
    kept.set(key, next);
    setValue(next);
  };
  return [value, keep];
}
