import type { Token } from "@berth/sdk";
import { stateOf } from "./token-state.ts";

export const KIND_CHOICES = [
  { value: "pat", label: "Access tokens" },
  { value: "sat", label: "Of service accounts" },
  { value: "console", label: "Sign-ins to the console" },
] as const satisfies readonly { value: Token["kind"]; label: string }[];

/** The filters of the list and the open dialog, as search parameters. */
export type TokenSearch = {
  q?: string;
  kind?: Token["kind"];
  owner?: string;
  /** Also lists revoked and expired tokens. */
  ended?: true;
  create?: true;
  /** The id of the token whose details are open. */
  token?: string;
};

/** Reads search parameters, which may hold anything. */
export function readTokenSearch(search: Record<string, unknown>): TokenSearch {
  const { q, owner, token } = search;
  const kind = KIND_CHOICES.find(({ value }) => value === search.kind)?.value;
  const text = (value: unknown) => typeof value === "string" && value !== "";
  return {
    ...(text(q) ? { q: q as string } : typeof q === "number" ? { q: String(q) } : {}),
    ...(kind === undefined ? {} : { kind }),
    ...(text(owner) ? { owner: owner as string } : {}),
    ...(search.ended === true ? { ended: true as const } : {}),
    ...(search.create === true ? { create: true as const } : {}),
    ...(text(token) ? { token: token as string } : {}),
  };
}

/** Returns the filters alone, without the open dialog. */
export function filtersOf({ create: _create, token: _token, ...filters }: TokenSearch) {
  return filters;
}

/** Whether the list shows a token. The service has no filters for tokens. */
export function fits(token: Token, search: TokenSearch, now: number): boolean {
  const { q = "", kind, owner, ended } = search;
  if (kind !== undefined && token.kind !== kind) return false;
  if (owner !== undefined && token.owner_id !== owner) return false;
  if (!ended && stateOf(token, now) !== "active") return false;
  return `${token.name} ${token.id} ${token.last4} ${token.scopes.join(" ")}`
    .toLowerCase()
    .includes(q.toLowerCase());
}
