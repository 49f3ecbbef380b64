import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import type { Database } from "../db/pool.ts";
import { isTokenSecret, tokenHash } from "../features/tokens/token-secret.ts";
import { findToken, touchToken } from "../features/tokens/token-store.ts";
import { ApiError } from "./api-error.ts";
import { errors } from "./errors.ts";
import { headerValues } from "./header-values.ts";
import type { Principal } from "./principal.ts";

/**
 * Whom the request's bearer token stands for.
 *
 * @throws errors of type `authentication_error`, a message for each fault. Only a token of the right form with the
 * right checksum costs a query.
 */
export async function authenticate(request: IncomingMessage, db: Database, log: Logger): Promise<Principal> {
  const found = await findToken(db.read, tokenHash(bearerToken(request)));
  if (found === null) throw errors.unknownToken();
  if (found.revoked) throw errors.revokedToken();
  if (found.expired) throw errors.expiredToken();
  if (found.disabled) throw errors.disabledPrincipal(found.principal.kind);
  if (found.stale) touchToken(db.write, found.principal.tokenId).catch(forget(log));
  return found.principal;
}

/**
 * As `authenticate`, where only a user's token is taken.
 *
 * @throws errors of type `authentication_error` with the code `authentication_required`, for every fault of the token.
 */
export async function authenticateUser(
  request: IncomingMessage,
  db: Database,
  log: Logger,
): Promise<Principal> {
  try {
    const principal = await authenticate(request, db, log);
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

/** When a token was last used is worth no failed request. */
function forget(log: Logger): (error: unknown) => void {
  return (error) => log.debug({ err: error }, "the last use of a token could not be noted");
}
