import type { Membership, OidcSettings } from "./oidc-settings.ts";

/** Returns what the operator's mapping makes of a user with these claims; null when no value matches. */
export function membershipOf(
  claims: Readonly<Record<string, unknown>>,
  { claim, mapping }: Pick<OidcSettings, "claim" | "mapping">,
): Membership | null {
  const values = valuesOf(claimNamed(claims, claim));
  const found = mapping.find(({ value }) => values.includes(value));
  return found === undefined ? null : { organization: found.organization, role: found.role };
}

/** Returns a claim by its name. If none has that name, dots lead into objects: `realm_access.roles`. */
function claimNamed(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((inner, key) => {
    const isObject = typeof inner === "object" && inner !== null && Object.hasOwn(inner, key);
    return isObject ? (inner as Record<string, unknown>)[key] : undefined;
  }, claims);
}

function valuesOf(claim: unknown): string[] {
  const all: unknown[] = Array.isArray(claim) ? claim : [claim];
  return all.flatMap((one) => (["string", "number", "boolean"].includes(typeof one) ? [String(one)] : []));
}
