import { SCOPES, TOKEN_SCOPES } from "@berth/server/names";
import { UsageError } from "../../shared/failure.ts";

/** Returns the scope of this name that a user's token can have. @throws UsageError for another one. */
export function scopeOf(name: string): (typeof SCOPES)[number] {
  return nameIn(SCOPES, name);
}

/** Returns the scope of this name that any token can have. @throws UsageError for another one. */
export function tokenScopeOf(name: string): (typeof TOKEN_SCOPES)[number] {
  return nameIn(TOKEN_SCOPES, name);
}

function nameIn<Scope extends string>(scopes: readonly Scope[], name: string): Scope {
  const known = scopes.find((scope) => scope === name);
  if (known === undefined)
    throw new UsageError(`Unknown scope '${name}'. The scopes are: ${scopes.join(", ")}.`);
  return known;
}
