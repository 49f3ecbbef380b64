import { type CreatedOperatorToken, formatId, newUuid, parseId } from "@berth/contract";
import { newTokenSecret, tokenHash } from "@berth/store/access";
import { databaseNow, type Queryable } from "@berth/store/db";
import { errors, OperatorError } from "@berth/store/errors";
import {
  insertOperatorToken,
  lockOperatorToken,
  revokeOperatorChildren,
  revokeOperatorToken,
  toOperatorToken,
} from "./operator-token-store.ts";

export interface OperatorTokenTerms {
  name: string;
  /** ISO 8601. Default, also for null: the parent's expiry, or never without a parent. */
  expiresAt?: string | null | undefined;
}

export interface RevokedOperatorToken {
  id: string;
  type: "operator_token_deleted";
  revoked_descendants: string[];
}

/**
 * Creates an operator token. It expires and is revoked with its parent at the latest. The secret is returned
 * only here.
 *
 * @param parent uuid of the operator token that creates it; null for one that is created on the host.
 */
export async function createOperatorToken(
  tx: Queryable,
  { name, expiresAt }: OperatorTokenTerms,
  parent: string | null,
): Promise<CreatedOperatorToken> {
  const latest = parent === null ? null : await expiryOf(tx, parent);
  const secret = newTokenSecret("operator");
  const row = await insertOperatorToken(tx, {
    id: newUuid(),
    name,
    last4: secret.slice(-4),
    parent_id: parent,
    expires_at: expiryWithin(expiresAt, latest),
    hash: tokenHash(secret),
  });
  return { ...toOperatorToken(row), token: secret };
}

async function expiryOf(tx: Queryable, id: string): Promise<Date | null> {
  const found = await lockOperatorToken(tx, id);
  if (found === null) throw errors.revokedToken();
  return found.expires_at;
}

function expiryWithin(asked: string | null | undefined, latest: Date | null): Date | null {
  if (asked == null) return latest;
  const requested = new Date(asked);
  if (requested.getTime() <= databaseNow())
    throw errors.invalid("Field 'expires_at' must be in the future.", "expires_at");
  if (latest !== null && requested > latest) throw errors.expiresTooLate(latest);
  return requested;
}

/** Revokes a token and all its descendants. @throws OperatorError when the token does not exist. */
export async function revokeOperatorTokens(tx: Queryable, given: string): Promise<RevokedOperatorToken> {
  const id = parseId("operator_token", given);
  if (id === null || !(await revokeOperatorToken(tx, id)))
    throw new OperatorError(`Operator token '${given.slice(0, 100)}' does not exist.`, "not_found_error");
  const descendants: string[] = [];
  let generation = [id];
  do {
    generation = await revokeOperatorChildren(tx, generation);
    descendants.push(...generation);
  } while (generation.length > 0);
  return {
    id: given,
    type: "operator_token_deleted",
    revoked_descendants: descendants.map((one) => formatId("operator_token", one)),
  };
}
