import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";

/** Tells streams that stay open for long when the token they were opened with has lost its force. */
export interface TokenWatch {
  /** `onInvalid` is called once, within about 5 s after the token was revoked or expired, unless it was unwatched. */
  watch(tokenId: string, onInvalid: () => void): () => void;
  close(): void;
}

/** One statement for all tokens watched, each `intervalMs` (default 5,000); none while none is watched. */
export function createTokenWatch(db: Queryable, log: Logger, intervalMs = 5_000): TokenWatch {
  const watchers = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const valid = await validTokens(db, [...watchers.keys()]);
    for (const [tokenId, listeners] of [...watchers]) {
      if (valid.has(tokenId)) continue;
      watchers.delete(tokenId);
      for (const onInvalid of listeners) onInvalid();
    }
  }

  function lookLater(): void {
    timer ??= setTimeout(async () => {
      timer = undefined;
      await look().catch((error: unknown) => log.debug({ err: error }, "tokens could not be checked"));
      if (watchers.size > 0) lookLater();
    }, intervalMs).unref();
  }

  return {
    watch(tokenId, onInvalid) {
      const own = () => onInvalid();
      watchers.set(tokenId, (watchers.get(tokenId) ?? new Set()).add(own));
      lookLater();
      return () => {
        const listeners = watchers.get(tokenId);
        listeners?.delete(own);
        if (listeners?.size === 0) watchers.delete(tokenId);
      };
    },
    close: () => clearTimeout(timer),
  };
}

async function validTokens(db: Queryable, tokenIds: readonly string[]): Promise<Set<string>> {
  if (tokenIds.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>({
    name: "valid_tokens",
    text: `
      select tokens.id from tokens
      left join users on users.id = tokens.principal_id
      left join service_accounts on service_accounts.id = tokens.principal_id
      where tokens.id = any($1::uuid[]) and revoked_at is null
        and users.disabled_at is null and service_accounts.disabled_at is null
        and (expires_at is null or expires_at > now())`,
    values: [tokenIds],
  });
  return new Set(rows.map((row) => row.id));
}
