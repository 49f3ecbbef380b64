import type { Token } from "@berth/sdk";

export type TokenState = "active" | "expired" | "revoked";

export function stateOf({ revoked_at, expires_at }: Token, now: number): TokenState {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active";
}

/**
 * Returns the known tokens that are revoked with one: created with it or with one of these, unless
 * independent.
 */
export function revokedWith(id: string, tokens: readonly Token[]): Token[] {
  const children = tokens.filter(
    (token) => token.parent_id === id && !token.independent && token.revoked_at === null,
  );
  return children.flatMap((child) => [child, ...revokedWith(child.id, tokens)]);
}

/** Returns a token's visible part: its beginning and its end. */
export function maskedOf({ kind, last4 }: Token): string {
  return `berth_${kind === "sat" ? "sat" : "pat"}_…${last4}`;
}
