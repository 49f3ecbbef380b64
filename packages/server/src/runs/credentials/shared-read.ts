/**
 * The same read, one at a time, for however many ask at once: each gets what a read has found that began after it asked. A
 * sandbox that opens thousands of connections so asks the database no more than one after another.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    if (next !== undefined) return next;
    const own = last.then(() => {
      next = undefined;
      return read();
    });
    next = own;
    last = own.catch(() => undefined);
    return own;
  };
}
