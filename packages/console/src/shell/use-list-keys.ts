import { useEffect, useState } from "react";
import { useShortcuts } from "./shortcuts.ts";

/**
 * Registers `j`, `k` and Enter for a list. Returns the index of the marked entry, which is scrolled to by its
 * `data-list-index`; -1 for none.
 */
export function useListKeys(count: number, onOpen: (index: number) => void, group = "List"): number {
  const [at, setAt] = useState(-1);
  const marked = Math.min(at, count - 1);
  useEffect(() => {
    if (marked >= 0)
      document.querySelector(`[data-list-index="${marked}"]`)?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  useShortcuts([
    { keys: "j", label: "Next", group, run: () => setAt(Math.min(marked + 1, count - 1)) },
    { keys: "k", label: "Previous", group, run: () => setAt(Math.max(marked - 1, 0)) },
    ...(marked >= 0 ? [{ keys: "Enter", label: "Open", group, run: () => onOpen(marked) }] : []),
  ]);
  return marked;
}
