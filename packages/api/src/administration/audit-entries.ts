import { type AuditEntry, parseId } from "@berth/contract";
import { type AuditFilter, listAuditEntries } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import { organizationId } from "./organization-store.ts";
import { userId } from "./user-store.ts";

/**
 * Filter of audit entries; all conditions must hold. `organization` and `user` are a name or email address,
 * or an id, also of something deleted.
 */
export interface AuditQuery extends Omit<AuditFilter, "organizationId" | "userId"> {
  organization?: string | undefined;
  user?: string | undefined;
}

/** Number of entries read at once, since the log may have millions. */
const PAGE = 1_000;

/**
 * Reads the latest entries page by page, newest first.
 *
 * @param limit maximum number of entries; null for all.
 * @throws OperatorError when no organization or user has the given name.
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
