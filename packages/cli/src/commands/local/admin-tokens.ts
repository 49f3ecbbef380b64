import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printRows } from "./admin.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { scopeOf } from "./scope-of.ts";

interface TokenOptions extends AdminOptions {
  user?: string;
  serviceAccount?: string;
  org?: string;
  name: string;
  scopes?: string[];
  expiresIn?: number;
}

/** Prints only the token, so that a shell can capture it. */
export async function createToken(options: TokenOptions): Promise<undefined> {
  const { name, scopes = ["*"] } = options;
  const terms = { ...bearerOf(options), name, scopes: scopes.map(scopeOf), expiresAt: expiryOf(options) };
  const created = await administer(options, (admin) => admin.tokens.create(terms));
  await printResult(created, options, () => [created.token]);
}

function bearerOf({ user, serviceAccount, org }: TokenOptions) {
  if ((user === undefined) === (serviceAccount === undefined))
    throw new UsageError("Set either --user or --service-account: whose token it is.");
  if (serviceAccount === undefined) return { user };
  if (org === undefined) throw new UsageError("Set --org: the organization of the service account.");
  return { serviceAccount: { name: serviceAccount, organization: org } };
}

/** Prints only the token, like `createToken`. */
export async function createOperatorToken(
  name: string,
  options: AdminOptions & { expiresIn?: number },
): Promise<undefined> {
  const terms = { name, expiresAt: expiryOf(options) };
  const created = await administer(options, (admin) => admin.operatorTokens.create(terms));
  await printResult(created, options, () => [created.token]);
}

export async function listOperatorTokens(options: AdminOptions): Promise<undefined> {
  const tokens = await administer(options, (admin) => admin.operatorTokens.list());
  await printRows(tokens, ["id", "name", "last4", "last_used_at", "expires_at", "revoked_at"], options);
}

export async function revokeOperatorToken(
  id: string,
  options: AdminOptions & ConfirmOptions,
): Promise<undefined> {
  const revoked = await administer(options, async (admin) => {
    await confirm(
      `Revoke the operator token ${plainLine(id)}? Whoever uses it, or one that was created with it, is refused at once.`,
      options,
    );
    return await admin.operatorTokens.revoke(id);
  });
  const others = revoked.revoked_descendants.length;
  await printResult(revoked, options, () => [
    `The operator token ${revoked.id} is revoked, and ${others} that were created with it.`,
  ]);
}

/** Returns when a token expires. Null sets no expiry of its own. */
function expiryOf({ expiresIn }: { expiresIn?: number }): string | null {
  return expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000).toISOString();
}
