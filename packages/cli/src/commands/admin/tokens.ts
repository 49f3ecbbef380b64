import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { type AdminOptions, administer, allOf } from "./administer.ts";
import type { NamedObjects } from "./named-objects.ts";
import { printRows } from "./print-rows.ts";
import { tokenScopeOf } from "./scope-of.ts";

interface TokenOptions extends AdminOptions {
  user?: string;
  serviceAccount?: string;
  org?: string;
  name?: string;
  scopes?: string[];
  expiresIn?: number;
  independent?: boolean;
}

/** Prints only the token, so that a shell can capture it. */
export async function createToken(options: TokenOptions): Promise<undefined> {
  const { name, scopes = ["*"], independent } = options;
  const bearer = bearerOf(options);
  const terms = { name, independent, scopes: scopes.map(tokenScopeOf), expires_at: expiryOf(options) };
  const { admin, named } = await administer(options);
  const created = await admin.tokens.create({ ...(await bearer(named)), ...terms });
  await printResult(created, options, () => [created.token]);
}

/** Returns a function that looks up the id of the token's user or service account. @throws UsageError */
function bearerOf({ user, serviceAccount, org }: TokenOptions) {
  if ((user === undefined) === (serviceAccount === undefined))
    throw new UsageError("Set either --user or --service-account, the owner of the token.");
  if (user !== undefined) return async (named: NamedObjects) => ({ user_id: await named.user(user) });
  return async (named: NamedObjects) => ({
    service_account_id: await named.serviceAccount(serviceAccount ?? "", org),
  });
}

export async function listTokens({
  org,
  user,
  ...options
}: AdminOptions & { org?: string; user?: string }): Promise<undefined> {
  const { admin, named } = await administer(options);
  const filter = {
    ...(await named.filter(org)),
    ...(user !== undefined && { user_id: await named.user(user) }),
  };
  const tokens = await allOf(admin.tokens.list(filter));
  await printRows(
    tokens,
    ["id", "bearer", "kind", "name", "last_used_at", "expires_at", "revoked_at"],
    options,
  );
}

export async function revokeToken(id: string, options: AdminOptions & ConfirmOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const question = `Revoke the token ${plainLine(id)}? It, and the tokens that were created with it, are rejected at once.`;
  await confirm(question, options);
  const revoked = await admin.tokens.delete(id);
  const others = revoked.revoked_descendants.length;
  await printResult(revoked, options, () => [
    `The token ${revoked.id} is revoked, and ${others} that were created with it.`,
  ]);
}

/** Prints only the token, like `createToken`. */
export async function createOperatorToken(
  name: string,
  options: AdminOptions & { expiresIn?: number },
): Promise<undefined> {
  const { admin } = await administer(options);
  const created = await admin.operatorTokens.create({ name, expires_at: expiryOf(options) });
  await printResult(created, options, () => [created.token]);
}

export async function listOperatorTokens(options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const tokens = await allOf(admin.operatorTokens.list({ limit: 100 }));
  await printRows(tokens, ["id", "name", "last4", "last_used_at", "expires_at", "revoked_at"], options);
}

export async function revokeOperatorToken(
  id: string,
  options: AdminOptions & ConfirmOptions,
): Promise<undefined> {
  const { admin } = await administer(options);
  await confirm(
    `Revoke the operator token ${plainLine(id)}? It, and all tokens that were created with it, are rejected at once.`,
    options,
  );
  const revoked = await admin.operatorTokens.delete(id);
  const others = revoked.revoked_descendants.length;
  await printResult(revoked, options, () => [
    `The operator token ${revoked.id} is revoked, and ${others} that were created with it.`,
  ]);
}

/** Returns when a token expires. Null sets no expiry of its own. */
function expiryOf({ expiresIn }: { expiresIn?: number }): string | null {
  return expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000).toISOString();
}
