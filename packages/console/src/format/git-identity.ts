type Person = { name: string; email: string };
type Identity = { name: string | null; email: string | null; co_authored_by: Person | null };

/** An identity as a form has it. */
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

/** As a request has it; null for none. What is given in part is sent so, to be told what lacks. */
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
