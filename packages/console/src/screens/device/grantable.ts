import type { Token } from "@berth/sdk";

type Scopes = Token["scopes"];

/** Of the scopes that are asked for, those that somebody may grant: their own. */
export function grantable(asked: Scopes, own: Scopes): Scopes {
  if (own.includes("*")) return asked;
  return asked.includes("*") ? own : asked.filter((scope) => own.includes(scope));
}
