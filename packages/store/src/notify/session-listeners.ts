/** Callbacks of this process, by session. */
export class SessionListeners<Args extends unknown[] = []> {
  readonly #listeners = new Map<string, Set<(...args: Args) => void>>();

  /** Adds a listener. Returns a function that removes it. */
  add(sessionId: string, listener: (...args: Args) => void): () => void {
    const own = (...args: Args) => listener(...args);
    const set = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, set.add(own));
    return () => {
      set.delete(own);
      if (set.size === 0 && this.#listeners.get(sessionId) === set) this.#listeners.delete(sessionId);
    };
  }

  call(sessionId: string, ...args: Args): void {
    for (const listener of [...(this.#listeners.get(sessionId) ?? [])]) listener(...args);
  }

  /** Returns the sessions that have listeners. */
  sessions(): string[] {
    return [...this.#listeners.keys()];
  }
}
