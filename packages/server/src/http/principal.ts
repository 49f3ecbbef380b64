/** Whom a token stands for, and what it may do. Ids are uuids. */
export interface Principal {
  tokenId: string;
  organizationId: string;
  /** `user` for a PAT, `service_account` for a SAT. */
  kind: "user" | "service_account";
  /** Of the user or the service account. */
  id: string;
  /** A service account is a member. */
  role: "member" | "admin";
  scopes: ReadonlySet<string>;
}

/** Who an object belongs to, as its row says. */
export interface Owner {
  organization_id: string;
  owner_type: "user" | "organization";
  owner_id: string;
}

/** What a user makes is the user's; what a service account makes is the organization's. */
export function ownerOf(principal: Principal): Owner {
  const { organizationId, kind, id } = principal;
  return kind === "user"
    ? { organization_id: organizationId, owner_type: "user", owner_id: id }
    : { organization_id: organizationId, owner_type: "organization", owner_id: organizationId };
}

/** A principal reaches its own objects and its organization's; an admin reaches all of the organization's people. */
export function reaches(principal: Principal, owner: Owner): boolean {
  if (owner.organization_id !== principal.organizationId) return false;
  return principal.role === "admin" || owner.owner_type === "organization" || owner.owner_id === principal.id;
}

export function hasScope(principal: Principal, scope: string | null): boolean {
  return scope === null || principal.scopes.has("*") || principal.scopes.has(scope);
}
