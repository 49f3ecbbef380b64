import type { IncomingMessage } from "node:http";
import { SCIM_SCOPE } from "@berth/contract";
import {
  findOperator,
  isOperatorSecret,
  isTokenSecret,
  type Operator,
  type Principal,
  type RecentTokens,
  tokenHash,
  touchOperatorToken,
  touchToken,
} from "@berth/store/access";
import { type ApiError, errors } from "@berth/store/errors";
import { headerValues } from "./headers.ts";
import type { HttpApp } from "./http-app.ts";

/** The parts of the app that authentication needs. */
export type Deps = Pick<HttpApp, "db" | "log" | "clients" | "addressRates"> & {
  recentTokens: Pick<RecentTokens, "find">;
};

/**
 * Returns the principal of the request's bearer token.
 *
 * @throws errors of type `authentication_error`, each with its own message; errors.operatorElsewhere for an
 * operator token; errors.scimElsewhere for an identity provider's. Only a well-formed token with a valid
 * checksum that is not cached costs a query. An unknown one does so only within the limit of the client's
 * address; beyond it, the error has the type `rate_limit_error`.
 */
export async function authenticate(request: IncomingMessage, deps: Deps): Promise<Principal> {
  const token = bearerToken(request);
  if (!isOperatorSecret(token)) {
    const principal = await acceptSecret(request, token, deps);
    if (principal.scopes.has(SCIM_SCOPE)) throw errors.scimElsewhere();
    return principal;
  }
  await acceptOperator(request, token, deps);
  throw errors.operatorElsewhere();
}

/**
 * Returns the principal of an identity provider's bearer token, which is good for SCIM alone.
 *
 * @throws as `authenticate`; errors.scimTokensOnly for another valid token.
 */
export async function authenticateScim(request: IncomingMessage, deps: Deps): Promise<Principal> {
  const token = bearerToken(request);
  if (isOperatorSecret(token)) {
    await acceptOperator(request, token, deps);
    throw errors.operatorElsewhere();
  }
  const principal = await acceptSecret(request, token, deps);
  if (!principal.scopes.has(SCIM_SCOPE)) throw errors.scimTokensOnly();
  return principal;
}

/**
 * Returns the operator of the request's bearer token; null for a token of another kind, or none.
 *
 * @throws as `authenticate`
 */
export async function authenticateOperator(request: IncomingMessage, deps: Deps): Promise<Operator | null> {
  if (request.headers.authorization === undefined) return null;
  const token = bearerToken(request);
  return isOperatorSecret(token) ? await acceptOperator(request, token, deps) : null;
}

/** Accepts an operator token. These are not cached: there are few, and a revoked one is rejected at once. */
async function acceptOperator(
  request: IncomingMessage,
  secret: string,
  { db, log, clients, addressRates }: Deps,
): Promise<Operator> {
  const hash = tokenHash(secret);
  const found = await addressRates.lookUp(clients.of(request), hash, async () => {
    const operator = await findOperator(db.read, hash);
    if (operator === null) throw errors.unknownToken();
    if (operator.revoked) throw errors.revokedToken();
    if (operator.expired) throw errors.expiredToken();
    return operator;
  });
  if (found.stale) touchOperatorToken(db.write, found.operator.tokenId).catch(logFailedTouch(log));
  return found.operator;
}

/** Errors with which a secret is rejected, by reason. */
export type Rejections = Record<"unknown" | "revoked" | "expired", () => ApiError>;

const OF_TOKENS: Rejections = {
  unknown: errors.unknownToken,
  revoked: errors.revokedToken,
  expired: errors.expiredToken,
};

/** Does the same as `authenticate`, for a secret from elsewhere in the request. @param secret well-formed. */
export async function acceptSecret(
  request: IncomingMessage,
  secret: string,
  { db, log, clients, addressRates, recentTokens }: Deps,
  rejections: Rejections = OF_TOKENS,
): Promise<Principal> {
  const hash = tokenHash(secret);
  const found = await addressRates.lookUp(clients.of(request), hash, async () => {
    const token = await recentTokens.find(hash);
    if (token === null) throw rejections.unknown();
    if (token.revoked) throw rejections.revoked();
    if (token.expired) throw rejections.expired();
    if (token.disabled) throw errors.disabledPrincipal(token.principal.kind);
    return token;
  });
  if (found.stale) touchToken(db.write, found.principal.tokenId).catch(logFailedTouch(log));
  return found.principal;
}

function bearerToken(request: IncomingMessage): string {
  const given = headerValues(request, "authorization");
  if (given.length > 1) throw errors.severalAuthorizations();
  const [header] = given;
  if (header === undefined || header === "") {
    throw request.headers["x-api-key"] === undefined ? errors.noAuthorization() : errors.apiKeyHeader();
  }
  const [, scheme, token] = /^(\S+)(?:[ \t]+(.*))?$/.exec(header.trim()) ?? [];
  if (scheme?.toLowerCase() !== "bearer") throw errors.wrongScheme();
  if (token === undefined || !(isTokenSecret(token) || isOperatorSecret(token)))
    throw errors.malformedToken();
  return token;
}

/** Returns an error handler that only logs, because `last_used_at` is not worth failing a request. */
function logFailedTouch(log: Deps["log"]): (error: unknown) => void {
  return (error) => log.debug({ err: error }, "could not update the last use of a token");
}
