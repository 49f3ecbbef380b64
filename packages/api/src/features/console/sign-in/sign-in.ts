import { formatId, type SignIn } from "@berth/contract";
import { tokenHash } from "@berth/store/access";
import { appendAuditEntry } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import type { OpenScope } from "../../../request/request-scope.ts";
import { issueToken } from "../../tokens/create-token.ts";
import { endSignIn, lockSigningToken } from "./sign-in-store.ts";

/** The part of a request that goes into the audit log. */
export type SignInScope = Pick<OpenScope, "operation" | "requestId" | "client" | "userAgent">;

/** A new sign-in: its secret, which only the browser keeps, and its expiry. */
export interface NewSignIn {
  secret: string;
  expiresAt: Date;
}

/** User, scopes and expiry of a new sign-in. Ids are uuids. */
export interface SignInTerms {
  by: SignIn;
  organizationId: string;
  userId: string;
  /** Token with which the sign-in is made; null when an identity provider vouches for the user. */
  parentId: string | null;
  scopes: readonly string[];
  expiresAt: Date;
}

/** Signs in with a user's token and its scopes. Returns null when the token is not valid. */
export async function signInWithToken(
  tx: Queryable,
  scope: SignInScope,
  tokenId: string,
  by: "token" | "link",
): Promise<NewSignIn | null> {
  const token = await lockSigningToken(tx, tokenId);
  if (token === null) return null;
  return await storeSignIn(tx, scope, {
    by,
    organizationId: token.organization_id,
    userId: token.user_id,
    parentId: token.id,
    scopes: token.scopes,
    expiresAt: token.expires_at,
  });
}

/** Stores a sign-in and its entry in the audit log. */
export async function storeSignIn(tx: Queryable, scope: SignInScope, terms: SignInTerms): Promise<NewSignIn> {
  const { row, secret } = await issueToken(tx, {
    organization_id: terms.organizationId,
    owner_type: "user",
    owner_id: terms.userId,
    principal_id: terms.userId,
    kind: "console",
    signed_in_by: terms.by,
    name: `console sign-in from ${scope.client}`,
    scopes: [...terms.scopes],
    expires_at: terms.expiresAt,
    parent_id: terms.parentId,
    independent: false,
  });
  await appendEntry(tx, scope, terms, row.id, terms.parentId ?? row.id);
  return { secret, expiresAt: terms.expiresAt };
}

/** Ends the sign-in with this secret and writes the entry in the audit log. Does nothing if it has ended. */
export async function signOut(tx: Queryable, scope: SignInScope, secret: string): Promise<void> {
  const ended = await endSignIn(tx, tokenHash(secret));
  if (ended === null) return;
  const { id, organization_id: organizationId, principal_id: userId } = ended;
  await appendEntry(tx, scope, { organizationId, userId }, id, id);
}

/** @param tokenId token with which the user acted. */
async function appendEntry(
  tx: Queryable,
  { operation, client, userAgent, requestId }: SignInScope,
  { organizationId, userId }: Pick<SignInTerms, "organizationId" | "userId">,
  id: string,
  tokenId: string,
): Promise<void> {
  await appendAuditEntry(tx, {
    organizationId,
    actor: { type: "user", id: userId, tokenId },
    operation: operation.id,
    resources: [formatId("token", id)],
    client,
    userAgent,
    requestId,
  });
}
