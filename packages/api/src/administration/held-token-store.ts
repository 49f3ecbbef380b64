import { formatId, type HeldToken, uuidOrNil } from "@berth/contract";
import { condition, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import { TOKEN_COLUMNS, type TokenRow, toToken } from "../features/tokens/token-store.ts";

export type HeldTokenRow = TokenRow & { bearer: string | null };

export interface HeldTokenFilter {
  /** Organization's id. */
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

const COLUMNS = `${TOKEN_COLUMNS},
  coalesce((select email from users where users.id = principal_id),
    (select name from service_accounts where service_accounts.id = principal_id)) as bearer`;

/** Selects tokens of users and service accounts, and sign-ins to the console, newest first. */
export async function selectHeldTokens(
  db: Queryable,
  { organization_id: organization, user_id: user }: HeldTokenFilter,
  range: KeysetRange,
): Promise<HeldTokenRow[]> {
  const owner = organization === undefined ? null : uuidOrNil("organization", organization);
  const listing = { table: "tokens", columns: COLUMNS } as const;
  if (user === undefined) {
    const branches = owner === null ? null : [{ column: "organization_id", value: owner }];
    return await selectKeyset<HeldTokenRow>(db, range, listing, branches);
  }
  const conditions = owner === null ? [] : [condition("organization_id = ?", owner)];
  const branches = [{ column: "owner_id", value: uuidOrNil("user", user) }];
  return await selectKeyset<HeldTokenRow>(db, range, { ...listing, conditions }, branches);
}

export function toHeldToken(row: HeldTokenRow): HeldToken {
  const kind = row.kind === "sat" ? "service_account" : "user";
  return { ...toToken(row), bearer_id: formatId(kind, row.principal_id), bearer: row.bearer };
}
