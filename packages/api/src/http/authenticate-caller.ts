import type { IncomingMessage } from "node:http";
import { type Administrator, findToken, isSignInSecret, type Principal } from "@berth/store/access";
import { ApiError, errors } from "@berth/store/errors";
import {
  acceptSecret,
  authenticate,
  authenticateOperator,
  type Deps,
  type Rejections,
} from "./authenticate.ts";
import { checkOrigin } from "./check-origin.ts";
import type { HttpApp } from "./http-app.ts";
import { SIGN_IN_COOKIE } from "./sign-in-cookie.ts";

type CallerDeps = Deps & Pick<HttpApp, "origin" | "acceptsSignIns">;

const OF_SIGN_INS: Rejections = {
  unknown: errors.signInEnded,
  revoked: errors.signInEnded,
  expired: errors.signInEnded,
};

/**
 * Returns the principal of the request's bearer token. Without the header `Authorization`, returns that of
 * the console sign-in, if one of the service's own pages makes the request.
 *
 * @throws as `authenticate` and `checkOrigin`; errors.signInEnded
 */
export async function authenticateCaller(request: IncomingMessage, deps: CallerDeps): Promise<Principal> {
  const hasHeader = request.headers.authorization !== undefined;
  if (hasHeader || !deps.acceptsSignIns || !SIGN_IN_COOKIE.isIn(request))
    return await authenticate(request, deps);
  const origin = deps.origin.of(request);
  checkOrigin(request, origin);
  const secret = SIGN_IN_COOKIE.read(request, origin);
  if (secret === null || !isSignInSecret(secret)) throw errors.signInEnded();
  // Sign-ins are not cached, so that ending one takes effect in every process at once.
  return await acceptSecret(request, secret, uncached(deps), OF_SIGN_INS);
}

/** Returns the same, with tokens that are looked up for each request. */
function uncached<Given extends CallerDeps>(deps: Given): Given {
  return { ...deps, recentTokens: { find: (hash: Buffer) => findToken(deps.db.read, hash) } };
}

/**
 * Returns the operator of an operator token, else the same as `authenticateCaller`, whose token is not
 * cached: an admin who became a member administers nothing from the next request on, in every process.
 *
 * @throws as `authenticateCaller`
 */
export async function authenticateAdministrator(
  request: IncomingMessage,
  deps: CallerDeps,
): Promise<Administrator> {
  return (await authenticateOperator(request, deps)) ?? (await authenticateCaller(request, uncached(deps)));
}

/**
 * Returns the same as `authenticateCaller`, but accepts only a user.
 *
 * @throws errors of type `authentication_error` with the code `authentication_required`, whatever is wrong
 * with the token.
 */
export async function authenticateUser(request: IncomingMessage, deps: CallerDeps): Promise<Principal> {
  try {
    const principal = await authenticateCaller(request, deps);
    if (principal.kind !== "user") throw errors.userTokensOnly();
    return principal;
  } catch (error) {
    if (!(error instanceof ApiError) || error.type !== "authentication_error") throw error;
    const { message, headers } = error;
    throw new ApiError(error.type, { message, headers, code: "authentication_required" });
  }
}
