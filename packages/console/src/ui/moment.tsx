import { useSyncExternalStore } from "react";
import { formatAgo, formatMoment, formatUntil } from "../format/time.ts";

let now = Date.now();

/** Returns the current time, updated every ten seconds for all components that show an age. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** Shows the age of something, with the exact time as its title. */
export function Ago({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={formatMoment(at)} className={className}>
      {formatAgo(at, Math.max(useNow(), Date.parse(at)))}
    </time>
  );
}

/** Shows the time left until something, with the exact time as its title. */
export function Until({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={formatMoment(at)} className={className}>
      {formatUntil(at, useNow())}
    </time>
  );
}
