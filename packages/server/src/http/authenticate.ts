import type { IncomingMessage } from "node:http";
import type { Principal } from "../access/principal.ts";
import { isTokenSecret, tokenHash } from "../access/token-secret.ts";
import { touchToken } from "../access/token-store.ts";
import { ApiError } from "../errors/api-error.ts";
import { errors } from "../errors/catalogue.ts";
import { headerValues } from "./headers.ts";
import type { HttpApp } from "./http-app.ts";

type Parts = Pick<HttpApp, "db" | "log" | "clients" | "addressRates" | "recentTokens">;

/**
 * The principal of the request's bearer token.
 *
 * @throws errors of type `authentication_error`, each with its own message. Only a well-formed token with the right checksum
 * that was not looked up just now costs a query, and an unknown one only within the limit of the client's address: else it is an error of type `rate_limit_error`.
 */
export async function authenticate(
  request: IncomingMessage,
  { db, log, clients, addressRates, recentTokens }: Parts,
): Promise<Principal> {
  const hash = tokenHash(bearerToken(request));
  await addressRates.take(clients.of(request), hash);
  const found = await recentTokens.find(hash);
  if (found === null) throw errors.unknownToken();
  if (found.revoked) throw errors.revokedToken();
  if (found.expired) throw errors.expiredToken();
  if (found.disabled) throw errors.disabledPrincipal(found.principal.kind);
  await addressRates.accept(hash);
  if (found.stale) touchToken(db.write, found.principal.tokenId).catch(logFailedTouch(log));
  return found.principal;
}

/**
 * As `authenticate`, but accepts only a user's token.
 *
 * @throws errors of type `authentication_error` with the code `authentication_required`, whatever is wrong with the token.
 */
export async function authenticateUser(request: IncomingMessage, parts: Parts): Promise<Principal> {
  try {
    const principal = await authenticate(request, parts);
    if (principal.kind !== "user") throw errors.userTokensOnly();
    return principal;
  } catch (error) {
    if (!(error instanceof ApiError) || error.type !== "authentication_error") throw error;
    const { message, headers } = error;
    throw new ApiError(error.type, { message, headers, code: "authentication_required" });
  }
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
  if (token === undefined || !isTokenSecret(token)) throw errors.malformedToken();
  return token;
}

/** The request goes on: `last_used_at` is not worth failing it. */
function logFailedTouch(log: Parts["log"]): (error: unknown) => void {
  return (error) => log.debug({ err: error }, "could not update the last use of a token");
}
