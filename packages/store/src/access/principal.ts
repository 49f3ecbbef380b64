import type { SignIn } from "@berth/contract";

/** The identity that a token authenticates, and its permissions. Ids are uuids. */
export interface Principal {
  tokenId: string;
  organizationId: string;
  /**
   * `user` for a personal access token (PAT) or a console sign-in, `service_account` for a service account
   * token (SAT).
   */
  kind: "user" | "service_account";
  /** The user's or the service account's uuid. */
  id: string;
  /** The user's role; a service account is a member. */
  role: "member" | "admin";
  scopes: ReadonlySet<string>;
  /** The user's sign-in to the console; null for a token that is not one of its sign-ins. */
  signedInBy: SignIn | null;
}

/** Ownership columns of a row. */
export interface Owner {
  organization_id: string;
  owner_type: "user" | "organization";
  owner_id: string;
}

/** Returns the owner of what a principal creates: the user, or the organization for a service account. */
export function ownerOf(principal: Principal): Owner {
  const { organizationId, kind, id } = principal;
  return kind === "user"
    ? { organization_id: organizationId, owner_type: "user", owner_id: id }
    : { organization_id: organizationId, owner_type: "organization", owner_id: organizationId };
}

/**
 * Returns whether a principal can access an owner's objects: its own and its organization's, or for an admin
 * those of all the organization's users.
 */
export function canAccess(principal: Principal, owner: Owner): boolean {
  if (owner.organization_id !== principal.organizationId) return false;
  return principal.role === "admin" || owner.owner_type === "organization" || owner.owner_id === principal.id;
}

/** Returns whether a principal has a scope. A null scope needs none, and `*` includes all. */
export function hasScope(principal: Pick<Principal, "scopes">, scope: string | null): boolean {
  return scope === null || principal.scopes.has("*") || principal.scopes.has(scope);
}
