import { SCOPES } from "@berth/server/names";
import { UsageError } from "../../shared/failure.ts";

type Scope = (typeof SCOPES)[number];

/** Returns the scope of this name. @throws UsageError for an unknown scope. */
export function scopeOf(name: string): Scope {
  const known = SCOPES.find((scope) => scope === name);
  if (known === undefined)
    throw new UsageError(`Unknown scope '${name}'. The scopes are: ${SCOPES.join(", ")}.`);
  return known;
}
