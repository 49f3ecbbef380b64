import type { Whoami } from "@berth/sdk";

type Scopes = Whoami["scopes"];

/** Returns the requested scopes that the user may grant, which are those they have. */
export function grantable(asked: Scopes, own: Scopes): Scopes {
  if (own.includes("*")) return asked;
  return asked.includes("*") ? own : asked.filter((scope) => own.includes(scope));
}
