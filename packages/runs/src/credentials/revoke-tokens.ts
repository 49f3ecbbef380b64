import { GitHostError } from "@berth/store/git-hosts";
import { sessionToken } from "@berth/store/secrets";
import { hostOf, type TokenDeps, tokenName } from "./repository-tokens.ts";
import {
  claimRevocations,
  deleteEndedTokens,
  deleteToken,
  noteRevocationFailure,
  type TokenToRevoke,
} from "./token-store.ts";

const BATCH = 20;
/** About a day, as the attempts are apart. */
const MAX_ATTEMPTS = 32;

/**
 * Revokes the tokens of sessions that have ended, and tokens of which nobody knows whether they were made. A
 * failure is recorded, and tried again for about a day.
 */
export async function revokeTokens(deps: TokenDeps, signal: AbortSignal): Promise<void> {
  await deleteEndedTokens(deps.db.write);
  while (!signal.aborted) {
    const tokens = await claimRevocations(deps.db.write, BATCH);
    await Promise.all(tokens.map((token) => revoke(deps, token)));
    if (tokens.length < BATCH) return;
  }
}

async function revoke(deps: TokenDeps, token: TokenToRevoke): Promise<void> {
  const { db, secrets, log } = deps;
  const { id, connection, repository, hostId, attempts } = token;
  try {
    const value = token.token === null ? null : secrets.open(sessionToken(id), token.token);
    const host = hostOf(deps, connection);
    await host.revokeToken({ repository, hostId, name: tokenName(id), token: value });
    await deleteToken(db.write, id);
  } catch (error) {
    const reason = error instanceof GitHostError ? error.message : "The service failed.";
    if (!(error instanceof GitHostError)) log.warn({ err: error }, "a token could not be revoked");
    if (attempts < MAX_ATTEMPTS) return await noteRevocationFailure(db.write, id, reason);
    log.warn({ repository, reason }, "a token was never revoked, and is given up");
    await deleteToken(db.write, id);
  }
}
