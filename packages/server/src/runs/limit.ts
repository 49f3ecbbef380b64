/** So many at once, and the rest in the order in which they came. */
export interface Limit {
  /** Resolves when there is a place; the answer gives it back, once. */
  enter(): Promise<() => void>;
  free(): number;
}

export function createLimit(places: number): Limit {
  let taken = 0;
  const waiting: (() => void)[] = [];

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    };
  }

  return {
    async enter() {
      if (taken < places) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return leaveOnce();
    },
    free: () => places - taken,
  };
}
