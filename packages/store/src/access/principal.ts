import { type Access, SCIM_SCOPE, type ShareAccess, type SignIn, type Visibility } from "@berth/contract";

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
  /** The visibility of what it makes, unless the request says otherwise. */
  defaultVisibility: Visibility;
  /** The access that its request needs to the objects that it names; see `Operation.access`. */
  needs: Access;
  /** The user's sign-in to the console; null for a token that is not one of its sign-ins. */
  signedInBy: SignIn | null;
}

/** Ownership columns of a row. */
export interface Owner {
  organization_id: string;
  owner_type: "user" | "organization";
  owner_id: string;
}

/** Columns of a row that decide who has access to it. `id` is a uuid. */
export interface SharedRow extends Owner {
  id: string;
  /** What all members of the organization may do; null when it is private. */
  organization_access: ShareAccess | null;
}

/** SQL for the columns of `SharedRow`, besides `id`. */
export const SHARED_COLUMNS = "organization_id, owner_type, owner_id, organization_access";

/** Returns the owner of what a principal creates: the user, or the organization for a service account. */
export function ownerOf(principal: Principal): Owner {
  const { organizationId, kind, id } = principal;
  return kind === "user"
    ? { organization_id: organizationId, owner_type: "user", owner_id: id }
    : { organization_id: organizationId, owner_type: "organization", owner_id: organizationId };
}

/** Returns owner and sharing of what a principal creates, with the visibility that its request asks for. */
export function ownedBy(
  principal: Principal,
  visibility: Visibility = principal.defaultVisibility,
): Omit<SharedRow, "id"> {
  const owner = ownerOf(principal);
  const isShared = owner.owner_type === "user" && visibility === "organization";
  return { ...owner, organization_access: isShared ? "read" : null };
}

/** Returns the visibility of an object. What an organization owns is for all its members. */
export function visibilityOf({ owner_type, organization_access }: Omit<SharedRow, "id">): Visibility {
  return owner_type === "user" && organization_access === null ? "private" : "organization";
}

/**
 * Returns whether an owner's objects are a principal's own: its own and its organization's, or for an admin
 * those of all the organization's users.
 */
export function isOwn(principal: Principal, owner: Owner): boolean {
  if (owner.organization_id !== principal.organizationId) return false;
  return principal.role === "admin" || owner.owner_type === "organization" || owner.owner_id === principal.id;
}

/** Returns whether a principal has a scope. A null scope needs none, and `*` includes all but `scim`. */
export function hasScope(principal: Pick<Principal, "scopes">, scope: string | null): boolean {
  if (scope === null || principal.scopes.has(scope)) return true;
  return principal.scopes.has("*") && scope !== SCIM_SCOPE;
}
