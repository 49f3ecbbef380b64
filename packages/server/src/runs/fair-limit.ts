/** A limit whose places go round among owners, so that none who waits stands behind the work of one other. */
export interface FairLimit {
  /** Resolves when there is a place for this owner; the answer gives it back, once. */
  enter(owner: string): Promise<() => void>;
  /** How many of this owner wait. */
  waiting(owner: string): number;
}

/**
 * What one owner asks for comes in its order. Who was given a turn is last in the round with what it still waits for.
 *
 * @param places At once.
 * @param each At once of one owner. With fewer than all places, no owner ever has every place, whoever else comes.
 */
export function createFairLimit({ places, each }: { places: number; each: number }): FairLimit {
  const taken = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  let free = places;

  /** One at most: nobody else can have a turn by one that came or left. */
  function giveTurn(): void {
    const found = [...queues].find(([owner]) => free > 0 && (taken.get(owner) ?? 0) < each);
    if (found === undefined) return;
    const [owner, [next, ...others]] = found;
    free -= 1;
    taken.set(owner, (taken.get(owner) ?? 0) + 1);
    queues.delete(owner);
    if (others.length > 0) queues.set(owner, others);
    next?.();
  }

  function leaveOnce(owner: string): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      const has = taken.get(owner) ?? 1;
      if (has === 1) taken.delete(owner);
      else taken.set(owner, has - 1);
      giveTurn();
    };
  }

  return {
    async enter(owner) {
      const turn = Promise.withResolvers<void>();
      queues.set(owner, [...(queues.get(owner) ?? []), turn.resolve]);
      giveTurn();
      await turn.promise;
      return leaveOnce(owner);
    },
    waiting: (owner) => queues.get(owner)?.length ?? 0,
  };
}
