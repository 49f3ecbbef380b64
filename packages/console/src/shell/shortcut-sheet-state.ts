import { useSyncExternalStore } from "react";

let open = false;
const listeners = new Set<() => void>();

export function openShortcutSheet(): void {
  setShortcutSheet(true);
}

export function setShortcutSheet(value: boolean): void {
  open = value;
  for (const listener of listeners) listener();
}

export function useShortcutSheetOpen(): boolean {
  return useSyncExternalStore(subscribe, () => open);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
