import { isDeepStrictEqual } from "node:util";
import type { FollowInput } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type FollowRow, stopFollow, storeFollow } from "./follow-store.ts";

/**
 * Follows the session's pull request as asked, or no longer for null. Does nothing for undefined, and for the bounds
 * that an active follow has. Returns whether anything changed. The caller has locked the session's row.
 */
export async function updateFollow(
  tx: Queryable,
  { id, follow: known }: { id: string; follow: FollowRow | null },
  follow: FollowInput | null | undefined,
): Promise<boolean> {
  if (follow === undefined) return false;
  if (follow === null)
    return await stopFollow(tx, id, null, { type: "ended", message: "Following it was ended by request." });
  const { max_attempts, max_list_cost = null, conflicts } = follow;
  const isSame =
    known !== null &&
    known.status !== "stopped" &&
    isDeepStrictEqual(
      [known.max_attempts, known.max_list_cost, known.conflicts],
      [max_attempts, max_list_cost, conflicts],
    );
  if (isSame) return false;
  await storeFollow(tx, id, follow);
  return true;
}
