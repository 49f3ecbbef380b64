import { setTimeout as delay } from "node:timers/promises";
import { newUuid } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import { GitHostError, type HostFault, openGitHost } from "@berth/store/git-hosts";
import { connectionSecret, resourceSecret, type SecretBox, sessionToken } from "@berth/store/secrets";
import type { Logger } from "pino";
import type { PlacementFault } from "../inputs/placement.ts";
import {
  claimToken,
  giveUpClaim,
  readTokenState,
  type StoredConnection,
  storeToken,
  type TokenClaim,
} from "./token-store.ts";

export interface TokenDeps {
  db: { write: Queryable };
  secrets: SecretBox;
  /** Reaches git hosts. */
  fetch: GuardedFetch;
  log: Pick<Logger, "warn">;
}

/** Longer than a host is waited for, which is asked up to five times. */
const CLAIM_MS = 60_000;
const POLL_MS = 250;
/** The time for which a token in use is not renewed after a failure, unless the host asks for more. */
const WAIT_MS = 10_000;
const MAX_WAIT_MS = 300_000;
/** The next token is due when this part of the lifetime is left. It varies, so that many do not end at once. */
const LEFT = { least: 0.25, most: 0.4 };

/** Makes the tokens of repositories that have a connection, one at a time for each on all machines. */
export class RepositoryTokens {
  readonly #deps: TokenDeps;
  readonly #making = new Map<string, Promise<PlacementFault | null>>();

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a repository's token if it has none or if its next one is due. Waits for a token that somebody else
   * makes, unless the one in use is still valid. Returns why there is none; null when it has one, or needs
   * none because its session has ended.
   *
   * @param id uuid of the session's resource.
   */
  async ensure(id: string): Promise<PlacementFault | null> {
    const known = this.#making.get(id);
    if (known !== undefined) return await known;
    const making = this.#ensure(id).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    return await making;
  }

  async #ensure(id: string): Promise<PlacementFault | null> {
    const { write } = this.#deps.db;
    const deadline = performance.now() + 2 * CLAIM_MS;
    for (let isClaimed = false; performance.now() < deadline; ) {
      const claim = isClaimed ? null : await claimToken(write, id, { id: newUuid(), milliseconds: CLAIM_MS });
      if (claim !== null) return await this.#make(claim);
      const state = await readTokenState(write, id);
      if (state === null || !state.isDue || (state.isUsable && state.isClaimed)) return null;
      ({ isClaimed } = state);
      if (isClaimed) await delay(POLL_MS);
    }
    return {
      ...{ type: "repository_clone_error", transient: true },
      message: "The token of the repository's connection was not made in time.",
    };
  }

  async #make(claim: TokenClaim): Promise<PlacementFault | null> {
    const { db, secrets, log } = this.#deps;
    const { id, resourceId, repository, access, connection } = claim;
    try {
      const host = hostOf(this.#deps, connection);
      const made = await host.makeToken({ repository, access, name: tokenName(id) });
      const endsInMs = made.expiresAt === null ? null : made.expiresAt.getTime() - Date.now();
      const left = LEFT.least + (LEFT.most - LEFT.least) * Math.random();
      await storeToken(db.write, claim, {
        secret: secrets.seal(resourceSecret(resourceId), made.token),
        own: made.isOwn ? { token: secrets.seal(sessionToken(id), made.token), hostId: made.hostId } : null,
        endsInMs,
        renewInMs: endsInMs === null ? null : Math.max(0, endsInMs * (1 - left)),
      });
      return null;
    } catch (error) {
      const fault: HostFault =
        error instanceof GitHostError ? error.fault : { kind: "unknown", transient: true };
      const waitMs = Math.min(Math.max(WAIT_MS, fault.retryAfterMs ?? 0), MAX_WAIT_MS);
      await giveUpClaim(db.write, claim, { waitMs, isMade: fault.transient === true });
      if (!(error instanceof GitHostError)) throw error;
      log.warn({ repository, reason: error.message }, "a connection made no token for a repository");
      return {
        ...{ type: FAULT_TYPES[fault.kind], message: error.message },
        ...(fault.transient === true && { transient: true }),
        retryAfterMs: fault.retryAfterMs ?? null,
      };
    }
  }
}

const FAULT_TYPES = {
  authentication: "repository_authentication_error",
  forbidden: "repository_forbidden_error",
  not_found: "repository_not_found_error",
  unknown: "repository_clone_error",
} as const satisfies Record<HostFault["kind"], PlacementFault["type"]>;

/** Returns the name that a token has at hosts whose tokens have names. @param id uuid of its row. */
export function tokenName(id: string): string {
  return `berth-${id}`;
}

/** Opens the host of a stored connection. */
export function hostOf(
  { fetch, secrets }: Pick<TokenDeps, "fetch" | "secrets">,
  { id, url, apiUrl, auth, secret }: StoredConnection,
) {
  return openGitHost(fetch, { url, apiUrl, auth, secret: secrets.open(connectionSecret(id), secret) });
}
