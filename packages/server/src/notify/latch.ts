/** Remembers that there was news, for one who waits. */
export interface Latch {
  tell(): void;
  /** From now on there was no news. Called before a look, so that what comes during it is not lost. */
  forget(): void;
  /** Resolves when there was news since `forget`. */
  told(): Promise<void>;
  /** As `told`, but resolves with false when there was none for so many milliseconds. */
  toldWithin(milliseconds: number): Promise<boolean>;
}

export function createLatch(): Latch {
  let news = false;
  const waiting = new Set<() => void>();
  const told = (): Promise<void> =>
    new Promise((resolve) => {
      if (news) resolve();
      else waiting.add(resolve);
    });
  return {
    tell() {
      news = true;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    forget() {
      news = false;
    },
    told,
    async toldWithin(milliseconds) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, milliseconds);
      await Promise.race([told(), late.promise]);
      clearTimeout(timer);
      return news;
    },
  };
}
