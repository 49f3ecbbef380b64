import { type CurrentToken, formatId } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { getToken, toToken } from "./token-store.ts";

interface NameRow {
  organization: string;
  /** User's email address, or service account's name. */
  name: string;
}

/** Returns the token of a request, with its organization and its user or service account. */
export async function currentToken(db: Queryable, { tokenId, organizationId, kind, id, role }: Principal) {
  const row = await getToken(db, tokenId);
  const { rows } = await db.query<NameRow>({
    name: "name_principal",
    text: `select name as organization,
        coalesce((select email from users where id = $2), (select name from service_accounts where id = $2)) as name
      from organizations where id = $1`,
    values: [organizationId, id],
  });
  const [names] = rows;
  if (row === null || names === undefined) throw new Error("The token of a request is missing.");
  const { organization, name } = names;
  return {
    ...toToken(row),
    // A token of SCIM makes no other requests.
    scopes: row.scopes as CurrentToken["scopes"],
    organization: { id: formatId("organization", organizationId), name: organization },
    user: kind === "user" ? { id: formatId("user", id), email: name, role } : null,
    service_account: kind === "user" ? null : { id: formatId("service_account", id), name },
  };
}
