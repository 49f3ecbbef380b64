import { isBeingErased } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { hasGroupRole } from "../../scim/roles/roles-store.ts";
import { organizationNamed, userWithEmail, userWithEmailInAnyCase } from "../../tokens/principal-store.ts";
import { type NewSignIn, type SignInScope, storeSignIn } from "../sign-in/sign-in.ts";
import { type Account, addAccount, lockUser, setUserRole, userOfAccount } from "./identity-store.ts";
import type { Membership } from "./oidc-settings.ts";

/** An account with the facts that the provider states about it. */
export type DescribedAccount = Account & { email: string | null; membership: Membership };

/**
 * Signs in the account's user. At the first sign-in, the account is linked to the user with its email
 * address, in any case, who is created in the organization if missing; later the address may change. The user
 * gets the provider's role, unless groups of SCIM decide about it.
 *
 * @throws errors.emailMissing, errors.otherOrganization, errors.otherAccount, errors.disabledPrincipal
 */
export async function signInWithAccount(
  tx: Queryable,
  scope: SignInScope,
  account: DescribedAccount,
): Promise<NewSignIn> {
  const { organization, role } = account.membership;
  const organizationId = await organizationNamed(tx, organization);
  const user = await lockUser(tx, await userIdOf(tx, account, organizationId));
  if (user.organization_id !== organizationId) throw errors.otherOrganization(organization);
  if (user.disabled || (await isBeingErased(tx, [organizationId]))) throw errors.disabledPrincipal("user");
  if (!(await addAccount(tx, account, user.id))) throw errors.otherAccount();
  if (user.role !== role && !(await hasGroupRole(tx, user.id))) await setUserRole(tx, user.id, role);
  return await storeSignIn(tx, scope, {
    by: "oidc",
    organizationId,
    userId: user.id,
    parentId: null,
    scopes: ["*"],
    expiresAt: user.expires_at,
  });
}

async function userIdOf(tx: Queryable, account: DescribedAccount, organizationId: string): Promise<string> {
  const known = await userOfAccount(tx, account);
  if (known !== null) return known;
  if (account.email === null) throw errors.emailMissing();
  const provisioned = await userWithEmailInAnyCase(tx, account.email);
  return provisioned ?? (await userWithEmail(tx, organizationId, account.email, account.membership.role)).id;
}
