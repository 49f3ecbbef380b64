import type { Membership, OidcSettings } from "./oidc-settings.ts";

/** What a user with these claims is, by the operator's mapping; null: nothing. */
export function membershipOf(
  claims: Readonly<Record<string, unknown>>,
  { claim, mapping }: Pick<OidcSettings, "claim" | "mapping">,
): Membership | null {
  const values = valuesOf(claimNamed(claims, claim));
  const found = mapping.find(({ value }) => values.includes(value));
  return found === undefined ? null : { organization: found.organization, role: found.role };
}

/** A name may have dots, such as that of a URL; else these lead into objects, such as `realm_access.roles`. */
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
