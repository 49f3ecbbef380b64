/** Sessions that somebody asked for within the last minute. */
export interface Wanted {
  add(sessionId: string): void;
  has(sessionId: string): boolean;
}

const WANTED_MS = 60_000;
/** Beyond so many, those that are too old are looked for and forgotten. */
const FEW = 1_000;

export function createWanted(now: () => number = () => performance.now()): Wanted {
  const until = new Map<string, number>();
  return {
    add(sessionId) {
      if (until.size >= FEW) for (const [id, end] of until) if (end <= now()) until.delete(id);
      until.set(sessionId, now() + WANTED_MS);
    },
    has: (sessionId) => (until.get(sessionId) ?? 0) > now(),
  };
}
