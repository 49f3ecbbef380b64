import { createOperatorToken } from "@berth/api/administration";
import { createTokenFor, type TokenFor } from "@berth/api/features";
import { formatId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { appendCommand } from "./append-command.ts";
import { type InstallationFlags, withDatabase } from "./with-database.ts";

/** A token of a user, or an operator token of a name. */
export type BootstrapTerms = TokenFor | { operator: string; expiresInSeconds?: number | undefined };

/**
 * Creates a token without the API, for an installation that has none or lost all of them, and returns its
 * secret. Creates the user and the organization if missing.
 */
export async function bootstrapToken(terms: BootstrapTerms, flags: InstallationFlags): Promise<string> {
  return await withDatabase(flags, (db) =>
    db.transaction((tx) => ("operator" in terms ? operatorToken(tx, terms) : userToken(tx, terms))),
  );
}

async function userToken(tx: Queryable, terms: TokenFor): Promise<string> {
  const { row, secret } = await createTokenFor(tx, terms);
  const subject = { organizationId: row.organization_id, resources: [formatId("token", row.id)] };
  await appendCommand(tx, "bootstrap", subject);
  return secret;
}

async function operatorToken(
  tx: Queryable,
  { operator: name, expiresInSeconds: seconds }: Exclude<BootstrapTerms, TokenFor>,
): Promise<string> {
  const expiresAt = seconds === undefined ? null : new Date(Date.now() + seconds * 1_000).toISOString();
  const { id, token } = await createOperatorToken(tx, { name, expiresAt }, null);
  await appendCommand(tx, "bootstrap", { organizationId: null, resources: [id] });
  return token;
}
