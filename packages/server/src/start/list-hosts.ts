import { differingSettings } from "../config/setting-digests.ts";
import type { Queryable } from "../db/statement.ts";
import { type KnownHost, readHosts } from "../runs/lease/known-hosts-store.ts";

export interface HostEntry extends Omit<KnownHost, "seen_at" | "settings"> {
  seen_at: string | null;
  /** Settings whose value is not that of the host that asks. */
  other_settings: string[];
}

/** All hosts by id, each compared with `ownId`, or with the one that was seen last if that was never seen. */
export async function listHosts(db: Queryable, ownId: string): Promise<HostEntry[]> {
  const rows = await readHosts(db);
  const latest = rows.toSorted((a, b) => (a.seen_seconds_ago ?? Infinity) - (b.seen_seconds_ago ?? Infinity));
  const reference = (rows.find(({ id }) => id === ownId) ?? latest[0])?.settings ?? {};
  return rows.map(({ settings, seen_at, ...row }) => ({
    ...row,
    seen_at: seen_at?.toISOString() ?? null,
    other_settings: differingSettings(reference, settings ?? {}),
  }));
}
