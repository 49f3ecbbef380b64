import type { Operation, Token, Whoami } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";

/** A scope that a user can give. */
export type Scope = Whoami["scopes"][number];

/** A noun with its scopes; null where it has no such scope. */
export type ScopeRow = { noun: string; label: string; read: Scope | null; write: Scope | null };

/** The nouns of all scopes that operations require, in the order of the API, and the metrics. */
export const SCOPE_ROWS: readonly ScopeRow[] = scopeRows();

function scopeRows(): ScopeRow[] {
  const all = Object.values(operations).flatMap((noun) => Object.values<Operation>(noun));
  const scopes = new Set([...all.flatMap(({ scope }) => scope ?? []), "metrics:read"]);
  const nouns = new Set([...scopes].map((scope) => scope.split(":")[0] ?? scope));
  const one = (noun: string, verb: string) =>
    scopes.has(`${noun}:${verb}`) ? (`${noun}:${verb}` as Scope) : null;
  return [...nouns].map((noun) => ({
    noun,
    label: noun.slice(0, 1).toUpperCase() + noun.slice(1).replaceAll("_", " "),
    read: one(noun, "read"),
    write: one(noun, "write"),
  }));
}

/** Describes the scopes of a token, as in `read and write sessions`. */
export function describeScopes(scopes: Token["scopes"]): string[] {
  if (scopes.includes("scim")) return ["manage users by SCIM"];
  if (scopes.includes("*")) return ["Everything"];
  return SCOPE_ROWS.flatMap(({ label, read, write }) => {
    const name = label.toLowerCase();
    const reads = read !== null && scopes.includes(read);
    const writes = write !== null && scopes.includes(write);
    if (reads && (writes || write === null))
      return [write === null ? `read ${name}` : `read and write ${name}`];
    return reads ? [`read ${name}`] : writes ? [`write ${name}`] : [];
  });
}
