import type { SignIn } from "@berth/contract";

/** Who a token authenticates, and what it may do. Ids are uuids. */
export interface Principal {
  tokenId: string;
  organizationId: string;
  /** `user` for a personal access token (PAT) and a sign-in to the console, `service_account` for a service account token (SAT). */
  kind: "user" | "service_account";
  /** Of the user or the service account. */
  id: string;
  /** A service account is a member. */
  role: "member" | "admin";
  scopes: ReadonlySet<string>;
  /** How the user signed in to the console; null for a token that is none of its sign-ins. */
  signedInBy: SignIn | null;
}

/** The ownership columns of a row. */
export interface Owner {
  organization_id: string;
  owner_type: "user" | "organization";
  owner_id: string;
}

/** A user owns what the user creates; what a service account creates belongs to the organization. */
export function ownerOf(principal: Principal): Owner {
  const { organizationId, kind, id } = principal;
  return kind === "user"
    ? { organization_id: organizationId, owner_type: "user", owner_id: id }
    : { organization_id: organizationId, owner_type: "organization", owner_id: organizationId };
}

/** A principal can access its own objects and its organization's; an admin, those of all users of the organization. */
export function canAccess(principal: Principal, owner: Owner): boolean {
  if (owner.organization_id !== principal.organizationId) return false;
  return principal.role === "admin" || owner.owner_type === "organization" || owner.owner_id === principal.id;
}

export function hasScope(principal: Pick<Principal, "scopes">, scope: string | null): boolean {
  return scope === null || principal.scopes.has("*") || principal.scopes.has(scope);
}
