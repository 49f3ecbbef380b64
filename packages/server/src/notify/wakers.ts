/** Who wants to be woken in this process, by session. */
export interface Wakers {
  subscribe(sessionId: string, wake: () => void): () => void;
  onDue(wake: (sessionId: string) => void): () => void;
  wake(sessionId: string, due: boolean): void;
  wakeAll(): void;
  /** Sessions that somebody follows. */
  sessions(): string[];
}

export function createWakers(): Wakers {
  const followers = new Map<string, Set<() => void>>();
  const workers = new Set<(sessionId: string) => void>();

  function wakeFollowers(sessionId: string): void {
    for (const wake of [...(followers.get(sessionId) ?? [])]) wake();
  }

  return {
    subscribe(sessionId, wake) {
      const own = () => wake();
      const set = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, set.add(own));
      return () => {
        set.delete(own);
        if (set.size === 0 && followers.get(sessionId) === set) followers.delete(sessionId);
      };
    },
    onDue(wake) {
      workers.add(wake);
      return () => workers.delete(wake);
    },
    wake(sessionId, due) {
      wakeFollowers(sessionId);
      if (due) for (const wake of [...workers]) wake(sessionId);
    },
    wakeAll() {
      for (const sessionId of [...followers.keys()]) wakeFollowers(sessionId);
      for (const wake of [...workers]) wake("");
    },
    sessions: () => [...followers.keys()],
  };
}
