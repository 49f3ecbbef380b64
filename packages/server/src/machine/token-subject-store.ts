import type { Subject } from "@berth/api/administration";
import { formatId } from "@berth/contract";
import { tokenHash } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

/** Returns the organization and id of a token, for the audit log. @param secret The token itself. */
export async function tokenSubject(db: Queryable, secret: string): Promise<Subject> {
  const { rows } = await db.query<{ id: string; organization_id: string }>({
    text: "select id, organization_id from tokens where hash = $1",
    values: [tokenHash(secret)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The token was not stored.");
  return { organizationId: row.organization_id, resources: [formatId("token", row.id)] };
}
