import {
  createServiceAccountToken,
  createTokenFor,
  type ServiceAccountTokenFor,
  type TokenFor,
} from "../features/tokens/create-token-for.ts";
import { installationId } from "../start/installation-id.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";
import { forgetHost, listHosts, setDraining } from "./host-store.ts";
import { createOrganization, listOrganizations, renameOrganization } from "./organization-store.ts";
import {
  createServiceAccount,
  listServiceAccounts,
  setServiceAccountDisabled,
} from "./service-account-store.ts";
import { createUser, listUsers, setRole, setUserDisabled, type User } from "./user-store.ts";

/**
 * The operator's commands for organizations, users, service accounts, each identified by name, and hosts, run on the
 * installation's machine. They reject with `OperatorError` when something does not exist or already exists.
 */
export function administration(flags: InstallationFlags) {
  return {
    organizations: {
      list: () => asOperator(flags, (db) => listOrganizations(db.read)),
      create: (name: string) => asOperator(flags, (db) => createOrganization(db.write, name)),
      rename: (name: string, to: string) => asOperator(flags, (db) => renameOrganization(db.write, name, to)),
    },
    users: {
      list: (organization?: string) => asOperator(flags, (db) => listUsers(db.read, organization)),
      create: (user: Pick<User, "email" | "organization" | "role">) =>
        asOperator(flags, (db) => createUser(db.write, user)),
      setRole: (email: string, role: User["role"]) =>
        asOperator(flags, (db) => setRole(db.write, email, role)),
      setDisabled: (email: string, disabled: boolean) =>
        asOperator(flags, (db) => setUserDisabled(db.write, email, disabled)),
    },
    serviceAccounts: {
      list: (organization?: string) => asOperator(flags, (db) => listServiceAccounts(db.read, organization)),
      create: (account: { name: string; organization: string }) =>
        asOperator(flags, (db) => createServiceAccount(db.write, account)),
      setDisabled: (account: { name: string; organization: string }, disabled: boolean) =>
        asOperator(flags, (db) => setServiceAccountDisabled(db.write, account, disabled)),
    },
    hosts: {
      list: () => asOperator(flags, (db, config) => listHosts(db.read, installationId(config.dataDir))),
      setDraining: (id: string, draining: boolean) =>
        asOperator(flags, (db) => setDraining(db.write, id, draining)),
      forget: (id: string, force: boolean) =>
        asOperator(flags, (db, config) =>
          forgetHost(db.write, id, { graceMs: config.hostGraceSeconds * 1_000, force }),
        ),
    },
  };
}

/** Creates a token, with its user, organization or service account where missing, and returns its secret. */
export async function createOperatorToken(
  options: Omit<TokenFor, "db"> | Omit<ServiceAccountTokenFor, "db">,
  flags: InstallationFlags = {},
): Promise<string> {
  return await asOperator(flags, (db) =>
    "serviceAccount" in options
      ? createServiceAccountToken({ ...options, db })
      : createTokenFor({ ...options, db }),
  );
}
