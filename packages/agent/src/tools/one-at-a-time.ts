import type { Sandbox } from "@berth/sandbox";

const last = new WeakMap<Sandbox, Promise<unknown>>();

/** Changes to files of one sandbox go one after another, so that two edits of a file in one answer both hold. */
export async function oneAtATime<T>(sandbox: Sandbox, change: () => Promise<T>): Promise<T> {
  const before = last.get(sandbox) ?? Promise.resolve();
  const done = before.then(change, change);
  last.set(sandbox, done);
  return await done;
}
