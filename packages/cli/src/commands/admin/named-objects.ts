import type { Berth } from "@berth/sdk";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";

export type NamedObjects = ReturnType<typeof namedObjects>;

/**
 * Returns functions that resolve names of organizations, and emails of users, to ids. Ids stay as they are.
 * For an admin, an organization that is not named is their own.
 */
export function namedObjects(admin: Berth["admin"], isOperators: boolean) {
  const organization = async (given: string | undefined): Promise<string> => {
    if (given === undefined) return await ownOrganization();
    if (isId("org", given)) return given;
    const [found] = (await admin.organizations.list({ name: given })).data;
    return (
      found?.id ??
      missing(
        `There is no organization '${given}'. Create it with 'berth admin organizations create ${given}'.`,
      )
    );
  };
  const ownOrganization = async (): Promise<string> => {
    if (isOperators) throw new UsageError("Set --org, the organization.");
    const [own] = (await admin.organizations.list()).data;
    return own?.id ?? missing("The token has no organization.");
  };
  const user = async (given: string): Promise<string> => {
    if (isId("usr", given)) return given;
    const [found] = (await admin.users.list({ email: given })).data;
    return found?.id ?? missing(`There is no user '${given}'.`);
  };
  const serviceAccount = async (name: string, owner: string | undefined): Promise<string> => {
    const organization_id = await organization(owner);
    const [found] = (await admin.serviceAccounts.list({ organization_id, name })).data;
    return found?.id ?? missing(`The organization has no service account '${name}'.`);
  };
  return {
    organization,
    user,
    serviceAccount,
    /** Returns the query of a list that is filtered by organization. */
    async filter(given: string | undefined) {
      return { limit: 100, ...(given !== undefined && { organization_id: await organization(given) }) };
    },
    /** Returns the id of an organization or a user. */
    async owner(given: { organization?: string | undefined; user?: string | undefined }): Promise<string> {
      return given.user === undefined ? await organization(given.organization) : await user(given.user);
    },
  };
}

function isId(prefix: string, given: string): boolean {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(given);
}

function missing(message: string): never {
  throw new UsageError(message, EXIT_CODES.failed);
}
