type Person = { name: string; email: string };
type OwnerAs = "author" | "co_author";
type Identity = {
  name: string | null;
  email: string | null;
  co_authored_by: Person | null;
  session_owner?: OwnerAs | undefined;
};

/** How commits name the owner of a session. */
export const OWNER_AS: Readonly<Record<OwnerAs, string>> = {
  co_author: "Co-author",
  author: "Author, with the agent as co-author",
};

/** A git identity in a form. */
export type IdentityFields = {
  gitName: string;
  gitEmail: string;
  coAuthorName: string;
  coAuthorEmail: string;
  /** Empty if commits do not name the owner of the session. */
  ownerAs: OwnerAs | "";
};

export function identityFields(identity: Identity | null | undefined): IdentityFields {
  return {
    gitName: identity?.name ?? "",
    gitEmail: identity?.email ?? "",
    coAuthorName: identity?.co_authored_by?.name ?? "",
    coAuthorEmail: identity?.co_authored_by?.email ?? "",
    ownerAs: identity?.session_owner ?? "",
  };
}

/**
 * Returns the identity for a request; null if all fields are empty. A partial identity is sent as it is, so
 * that the service names the missing part.
 */
export function identityOf(fields: IdentityFields) {
  const [name, email] = [fields.gitName.trim(), fields.gitEmail.trim()];
  const [coName, coEmail] = [fields.coAuthorName.trim(), fields.coAuthorEmail.trim()];
  const { ownerAs } = fields;
  if ([name, email, coName, coEmail, ownerAs].every((value) => value === "")) return null;
  return {
    ...(name === "" ? {} : { name }),
    ...(email === "" ? {} : { email }),
    ...(coName === "" && coEmail === "" ? {} : { co_authored_by: { name: coName, email: coEmail } }),
    ...(ownerAs === "" ? {} : { session_owner: ownerAs }),
  };
}
