import { type AuditEntry, parseId } from "@berth/contract";
import { type AuditFilter, listAuditEntries } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import { organizationId } from "./organization-store.ts";
import { userId } from "./user-store.ts";

/** What entries have; all of it. Whose is a name or an email address, or an id, also of what is deleted. */
export interface AuditQuery extends Omit<AuditFilter, "organizationId" | "userId"> {
  organization?: string | undefined;
  user?: string | undefined;
}

/** Of the log, which may have millions of entries, this many are read at once. */
const PAGE = 1_000;

/**
 * Reads the latest entries page by page, newest first.
 *
 * @param limit null: all.
 * @throws OperatorError when there is no organization or user of the name.
 */
export async function readAuditEntries(
  db: Queryable,
  { organization, user, ...rest }: AuditQuery,
  limit: number | null,
  onPage: (entries: readonly AuditEntry[]) => Promise<void> | void,
): Promise<void> {
  const filter: AuditFilter = {
    ...rest,
    ...(organization !== undefined && { organizationId: await organizationOf(db, organization) }),
    ...(user !== undefined && { userId: await userOf(db, user) }),
  };
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let before: string | undefined; left > 0; ) {
    const size = Math.min(PAGE, left);
    const entries = await listAuditEntries(db, filter, size, before);
    if (entries.length > 0) await onPage(entries);
    if (entries.length < size) return;
    left -= size;
    before = entries.at(-1)?.id;
  }
}

async function organizationOf(db: Queryable, given: string): Promise<string> {
  return parseId("organization", given) ?? (await organizationId(db, given));
}

async function userOf(db: Queryable, given: string): Promise<string> {
  return parseId("user", given) ?? (await userId(db, given)).id;
}
