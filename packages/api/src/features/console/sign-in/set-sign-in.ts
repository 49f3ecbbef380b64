import { isSignInSecret } from "@berth/store/access";
import { databaseNow, type Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { isReadableOnTheWay } from "../../../http/own-origin.ts";
import { SIGN_IN_COOKIE } from "../../../http/sign-in-cookie.ts";
import type { AuthRequest } from "./auth-route.ts";
import { type NewSignIn, signOut } from "./sign-in.ts";

/** @throws errors.signInReadable when others can read the connection, unless the operator allows that. */
export function checkReadable({ origin }: Pick<AuthRequest, "origin">, allowsPlainHttp: boolean): void {
  if (!allowsPlainHttp && isReadableOnTheWay(origin)) throw errors.signInReadable(origin);
}

/** Ends the browser's existing sign-in, if it has one. */
export async function endFormer(tx: Queryable, { scope, request, origin }: AuthRequest): Promise<void> {
  const secret = SIGN_IN_COOKIE.read(request.raw, origin);
  if (secret !== null && isSignInSecret(secret)) await signOut(tx, scope, secret);
}

/** Sets the cookie of the new sign-in, which replaces any former one. */
export function setSignIn({ origin, reply }: AuthRequest, { secret, expiresAt }: NewSignIn): void {
  const seconds = Math.max(1, Math.round((expiresAt.getTime() - databaseNow()) / 1_000));
  reply.header("set-cookie", SIGN_IN_COOKIE.set(secret, origin, seconds));
}
