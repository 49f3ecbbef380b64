import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

export interface WhoamiRow {
  /** User's email address, or service account's name. */
  name: string;
  organization: string;
  /** Email addresses of enabled admins. */
  admins: string[];
  token_name: string;
  expires_at: Date | null;
}

/** Reads the names of a principal, its organization and its token, and the token's expiry. */
export async function readWhoami(
  db: Queryable,
  { tokenId, organizationId, id }: Principal,
): Promise<WhoamiRow> {
  const { rows } = await db.query<WhoamiRow>({
    name: "whoami",
    text: `select tokens.name as token_name, expires_at, organizations.name as organization,
        array(select email from users where organization_id = $2 and role = 'admin' and disabled_at is null
          order by id limit 10) as admins,
        coalesce((select email from users where id = $3), (select name from service_accounts where id = $3)) as name
      from tokens, organizations where tokens.id = $1 and organizations.id = $2`,
    values: [tokenId, organizationId, id],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The token of a request is missing.");
  return row;
}
