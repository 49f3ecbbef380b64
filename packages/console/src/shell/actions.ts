import { useEffect, useRef, useSyncExternalStore } from "react";
import type { IconName } from "../ui/icon.tsx";

/** Something that the palette offers: a place to go to, or an act on what is shown. */
export type Action = {
  id: string;
  label: string;
  group: string;
  icon?: IconName /** Other words by which it is found. */;
  words?: string;
  keys?: string;
  run: () => void;
};

let registered: readonly Action[] = [];
const listeners = new Set<() => void>();

/** Offers actions in the palette for as long as the component is shown. */
export function useActions(actions: readonly Action[]): void {
  const newest = useRef(actions);
  newest.current = actions;
  const key = actions.map(({ id, label }) => `${id} ${label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids and labels; what they run is read when it runs
  useEffect(() => {
    const own = newest.current.map((action, index) => ({
      ...action,
      run: () => newest.current[index]?.run(),
    }));
    setRegistered([...own, ...registered]);
    return () => setRegistered(registered.filter((one) => !own.includes(one)));
  }, [key]);
}

/** The newest first: those of the screen before those of the frame. */
export function useRegisteredActions(): readonly Action[] {
  return useSyncExternalStore(subscribe, () => registered);
}

function setRegistered(next: readonly Action[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
