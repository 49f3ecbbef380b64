type Person = { name: string; email: string };
type Identity = { name: string | null; email: string | null; co_authored_by: Person | null };

/** A git identity in a form. */
export type IdentityFields = {
  gitName: string;
  gitEmail: string;
  coAuthorName: string;
  coAuthorEmail: string;
};

export function identityFields(identity: Identity | null | undefined): IdentityFields {
  return {
    gitName: identity?.name ?? "",
    gitEmail: identity?.email ?? "",
    coAuthorName: identity?.co_authored_by?.name ?? "",
    coAuthorEmail: identity?.co_authored_by?.email ?? "",
  };
}

/**
 * Returns the identity for a request; null if all fields are empty. A partial identity is sent as it is, so
 * that the service names the missing part.
 */
export function identityOf(fields: IdentityFields) {
  const [name, email] = [fields.gitName.trim(), fields.gitEmail.trim()];
  const [coName, coEmail] = [fields.coAuthorName.trim(), fields.coAuthorEmail.trim()];
  if (name === "" && email === "" && coName === "" && coEmail === "") return null;
  return {
    ...(name === "" ? {} : { name }),
    ...(email === "" ? {} : { email }),
    ...(coName === "" && coEmail === "" ? {} : { co_authored_by: { name: coName, email: coEmail } }),
  };
}
