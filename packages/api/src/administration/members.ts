import { formatId, type ServiceAccount, type User } from "@berth/contract";
import { type Queryable, WHOLE } from "@berth/store/db";
import type { Administrator } from "./administrator.ts";
import {
  createOrganization,
  organizationId,
  renameOrganization,
  selectOrganizations,
  toOrganization,
} from "./organization-store.ts";
import {
  createServiceAccount,
  type ServiceAccountName,
  selectServiceAccounts,
  setServiceAccountDisabled,
  toServiceAccount,
} from "./service-account-store.ts";
import { type Subject, subject } from "./subject.ts";
import { createTokenOf, type TokenTerms } from "./tokens.ts";
import { createUser, selectUsers, setRole, setUserDisabled, toUser } from "./user-store.ts";

/** Returns the functions that administer organizations, their members, and tokens. */
export function administerMembers(by: Administrator) {
  return {
    organizations: {
      list: () => by.read(async (db) => (await selectOrganizations(db.read, {}, WHOLE)).map(toOrganization)),
      create: (name: string) =>
        by.change(
          "admin organizations create",
          (db) => createOrganization(db.write, name),
          ({ id }) => subject(id, id),
        ),
      rename: (organization: string, to: string) =>
        by.change(
          "admin organizations rename",
          (db) => renameOrganization(db.write, organization, to),
          ({ id }) => subject(id, id),
        ),
    },
    users: {
      list: (organization?: string) =>
        by.read(async (db) => {
          const filter = await ofOrganization(db.read, organization);
          return (await selectUsers(db.read, filter, WHOLE)).map(toUser);
        }),
      create: (user: Pick<User, "email" | "organization" | "role">) =>
        by.change("admin users create", (db) => createUser(db.write, user), subjectOf),
      setRole: (user: string, role: User["role"]) =>
        by.change(`admin users set-role ${role}`, (db) => setRole(db.write, user, role), subjectOf),
      setDisabled: (user: string, disabled: boolean) =>
        by.change(
          `admin users ${disabled ? "disable" : "enable"}`,
          (db) => setUserDisabled(db.write, user, disabled),
          subjectOf,
        ),
    },
    serviceAccounts: {
      list: (organization?: string) =>
        by.read(async (db) => {
          const filter = await ofOrganization(db.read, organization);
          return (await selectServiceAccounts(db.read, filter, WHOLE)).map(toServiceAccount);
        }),
      create: (account: Pick<ServiceAccount, "name" | "organization">) =>
        by.change(
          "admin service-accounts create",
          (db) => createServiceAccount(db.write, account),
          subjectOf,
        ),
      setDisabled: (account: ServiceAccountName, disabled: boolean) =>
        by.change(
          `admin service-accounts ${disabled ? "disable" : "enable"}`,
          (db) => setServiceAccountDisabled(db.write, account, disabled),
          subjectOf,
        ),
    },
    tokens: {
      create: (terms: TokenTerms) =>
        by
          .change(
            "admin tokens create",
            (db) => createTokenOf(db.write, terms),
            ({ token, organization }) => subject(organization, token.id),
          )
          .then(({ token }) => token),
    },
  };
}

function subjectOf({ id, organization_id: organization }: User | ServiceAccount): Subject {
  return subject(organization, id);
}

async function ofOrganization(db: Queryable, given: string | undefined) {
  return given === undefined
    ? {}
    : { organization_id: formatId("organization", await organizationId(db, given)) };
}
