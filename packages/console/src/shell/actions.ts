import { useEffect, useRef, useSyncExternalStore } from "react";
import type { IconName } from "../ui/icon.tsx";

/** An entry of the palette: a screen to open, or an action on the current one. */
export type Action = {
  id: string;
  label: string;
  group: string;
  icon?: IconName;
  /** Other words that find it. */
  words?: string;
  keys?: string;
  run: () => void;
};

let registered: readonly Action[] = [];
const listeners = new Set<() => void>();

/** Adds actions to the palette while the component is mounted. */
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

/** Returns the actions, newest first: the screen's before the frame's. */
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
