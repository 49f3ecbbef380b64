import { newUuid } from "@berth/contract";
import { isForeignKeyViolation, isUniqueViolation, type Queryable } from "@berth/store/db";

/** A bare copy of a repository, from which an organization's snapshots on this machine are built. */
export interface Mirror {
  id: string;
  uid: number;
  organizationId: string;
}

/** The length of the cycle of `repository_uids`. */
const UIDS = 4_096;
/** The most mirrors of an organization, so that one with ever new repositories leaves uids to others. */
const MAX_PER_ORGANIZATION = UIDS / 8;

/**
 * Returns the mirror of the session's organization on this machine, or creates one. A new one gets the next
 * uid of the cycle that no other mirror has. Returns null when the session does not exist, its organization
 * has reached its limit, or every uid is taken.
 */
export async function claimMirror(
  db: Queryable,
  sessionId: string,
  host: string,
  url: string,
): Promise<Mirror | null> {
  const known = await touchMirror(db, sessionId, host, url);
  for (let attempts = 0; known === null && attempts < UIDS; attempts++) {
    try {
      return await insertMirror(db, sessionId, host, url);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
  return known;
}

async function touchMirror(
  db: Queryable,
  sessionId: string,
  host: string,
  url: string,
): Promise<Mirror | null> {
  const { rows } = await db.query<Mirror>({
    name: "use_mirror",
    text: `
      update repository_mirrors set used_at = now() from sessions
      where sessions.id = $1 and repository_mirrors.organization_id = sessions.organization_id
        and host = $2 and url = $3
      returning repository_mirrors.id, uid, repository_mirrors.organization_id as "organizationId"`,
    values: [sessionId, host, url],
  });
  return rows[0] ?? null;
}

async function insertMirror(
  db: Queryable,
  sessionId: string,
  host: string,
  url: string,
): Promise<Mirror | null> {
  const { rows } = await db.query<Mirror>({
    name: "enter_mirror",
    text: `
      insert into repository_mirrors (id, organization_id, host, url, uid)
      select $1, organization_id, $3, $4, nextval('repository_uids')::integer from sessions
      where id = $2 and ${MAX_PER_ORGANIZATION} > (
        select count(*) from repository_mirrors where organization_id = sessions.organization_id and host = $3
      )
      on conflict (organization_id, host, url) do update set used_at = now()
      returning id, uid, organization_id as "organizationId"`,
    values: [newUuid(), sessionId, host, url],
  });
  return rows[0] ?? null;
}

/** Records the size of a mirror in bytes, and its use. */
export async function markMirrored(db: Queryable, id: string, bytes: number): Promise<void> {
  await db.query({
    name: "mark_mirrored",
    text: "update repository_mirrors set bytes = $2, used_at = now() where id = $1",
    values: [id, bytes],
  });
}

/** Deletes a mirror. Returns false when there are snapshots of it. */
export async function deleteMirror(db: Queryable, id: string): Promise<boolean> {
  try {
    await db.query({
      name: "delete_mirror",
      text: "delete from repository_mirrors where id = $1",
      values: [id],
    });
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error, "repository_snapshots_mirror_id_fkey")) return false;
    throw error;
  }
}
