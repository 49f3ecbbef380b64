/**
 * Calls `work` for each item, at most `atOnce` at a time, and returns the results in the order of the items.
 * After a failure it starts no further call; it rejects once the running calls have ended.
 */
export async function mapAtOnce<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const waiting = items.entries();
  let failed = false;
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  });
  const rejected = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (rejected?.status === "rejected") throw rejected.reason;
  return results;
}
