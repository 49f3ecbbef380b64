import { SandboxError } from "../interface/errors.ts";

/**
 * Waits for the removals of what dead sandboxes left, whatever becomes of each.
 *
 * @throws SandboxError that counts what could not be removed.
 */
export async function removeAll(removals: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(removals);
  const failed = results.filter((result) => result.status === "rejected");
  if (failed.length === 0) return;
  const cause = failed[0]?.reason;
  throw new SandboxError(`${failed.length} of what dead sandboxes left could not be removed`, { cause });
}
