import { useEffect, useRef, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { keepKey } from "./type-ahead.ts";

/**
 * A key and its action. `keys` is a name as in `KeyboardEvent.key`, a combination such as `mod+k` (Ctrl or
 * Cmd), or a sequence of two such as `g s`.
 */
export type Shortcut = { keys: string; label: string; group: string; run: () => void };

let registered: readonly Shortcut[] = [];
const listeners = new Set<() => void>();
/** The first key of a sequence, while the second may follow. */
let begun: { key: string; at: number } | null = null;

/** Milliseconds within which the second key of a sequence has to follow. */
const PAIR_MS = 1_200;

/** Registers shortcuts while the component is mounted. They are inactive while somebody types in a field. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  const key = shortcuts.map(({ keys, label }) => `${keys} ${label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys and labels; what they run is read when it runs
  useEffect(() => {
    const own = newest.current.map(({ run: _run, ...rest }, index) => ({
      ...rest,
      run: () => newest.current[index]?.run(),
    }));
    setRegistered([...registered, ...own]);
    return () => setRegistered(registered.filter((one) => !own.includes(one)));
  }, [key]);
}

/** Returns all registered shortcuts, for the shortcut sheet. */
export function useRegisteredShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => registered);
}

/**
 * Runs the shortcut of a key that was registered last. Shortcuts without Ctrl or Cmd are inactive beneath a
 * dialog and while somebody types.
 */
export function handleKey(event: KeyboardEvent): void {
  const isCombined = event.metaKey || event.ctrlKey;
  if (event.defaultPrevented || keepKey(event) || event.altKey) return;
  if (!isCombined && (isTyping(event.target) || isCovered())) return;
  const key = isCombined ? `mod+${event.key.toLowerCase()}` : event.key;
  const pair = begun !== null && event.timeStamp - begun.at < PAIR_MS ? `${begun.key} ${key}` : null;
  begun = null;
  const found = (pair && lastFitting(pair)) || lastFitting(key);
  if (found) {
    event.preventDefault();
    runNow(found);
  } else if (!isCombined && registered.some(({ keys }) => keys.startsWith(`${key} `))) {
    begun = { key, at: event.timeStamp };
  }
}

/** Runs the shortcut of these keys that was registered last, even while somebody types. */
export function runShortcut(keys: string): void {
  const found = lastFitting(keys);
  if (found) runNow(found);
}

/**
 * Runs a shortcut and renders its effect before the next key arrives, so that a field that it opens has the
 * focus and receives that key.
 */
function runNow({ run }: Shortcut): void {
  flushSync(run);
}

function lastFitting(keys: string): Shortcut | undefined {
  return registered.findLast((shortcut) => shortcut.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("[role=menu],[role=listbox]") !== null
  );
}

/** Whether a dialog covers the screen and hides it from keyboards and screen readers. */
function isCovered(): boolean {
  return document.querySelector("[aria-hidden=true] #main") !== null;
}

function setRegistered(next: readonly Shortcut[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
