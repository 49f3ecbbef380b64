import { formatId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type DiskState, readDiskState } from "./disk-state-store.ts";

/** Milliseconds after which a machine that was not seen is not asked. */
const AWAY_MS = 60_000;

/**
 * Returns the state of a session's disk if it can be read.
 *
 * @param sessionId a uuid.
 * @throws errors.notFound, errors.noDisk, errors.diskAway
 */
export async function requireDisk(db: Queryable, sessionId: string): Promise<DiskState> {
  const state = await readDiskState(db, sessionId);
  const id = formatId("session", sessionId);
  if (state === null) throw errors.notFound("session", id);
  const why = withoutDisk(state);
  if (why !== null) throw errors.noDisk(id, why);
  if (state.awayMs === null || state.awayMs > AWAY_MS) throw errors.diskAway(id);
  return state;
}

function withoutDisk({ hasDisk, reclaimed, archived, terminated }: DiskState): string | null {
  if (terminated) return "it is terminated, and its disk was deleted";
  if (archived) return "it is archived, and its disk was deleted";
  if (hasDisk) return null;
  return reclaimed
    ? "its disk was reclaimed, and its next command creates a new one"
    : "its first command or resource creates one";
}
