import {
  createServiceAccountToken,
  createTokenFor,
  type ServiceAccountTokenFor,
  type TokenFor,
} from "../features/tokens/create-token-for.ts";
import { installationId } from "../start/installation-id.ts";
import { listHosts } from "../start/list-hosts.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";
import { type AuditQuery, readAuditEntries } from "./audit-entries.ts";
import { auditedCommand } from "./audited-command.ts";
import { beginErasure, type ErasureSubject, getErasure, listErasures, waitForErasure } from "./erasures.ts";
import { forgetHost, setDraining } from "./host-store.ts";
import { changeLimits, type LimitedOwner, listLimits } from "./limit-store.ts";
import { approveLogin, denyLogin, findLogin, type LoginApproval } from "./logins.ts";
import { createOrganization, listOrganizations, renameOrganization } from "./organization-store.ts";
import { changeRetention, listRetention } from "./retention-store.ts";
import {
  createServiceAccount,
  listServiceAccounts,
  setServiceAccountDisabled,
} from "./service-account-store.ts";
import { organizationSubject, serviceAccountSubject, tokenSubject, userSubject } from "./subject-store.ts";
import { createUser, listUsers, setRole, setUserDisabled, type User } from "./user-store.ts";

/**
 * The operator's commands for organizations, users, service accounts, each identified by name, and hosts, run on the
 * installation's machine. They reject with `OperatorError` when something does not exist or already exists.
 */
export function administration(flags: InstallationFlags) {
  const changing = <T>(
    operation: string,
    work: Parameters<typeof auditedCommand<T>>[2],
    about: Parameters<typeof auditedCommand<T>>[3],
  ) => auditedCommand(flags, operation, work, about);
  return {
    organizations: {
      list: () => asOperator(flags, (db) => listOrganizations(db.read)),
      create: (name: string) =>
        changing(
          "admin organizations create",
          (db) => createOrganization(db.write, name),
          (tx) => organizationSubject(tx, name),
        ),
      rename: (name: string, to: string) =>
        changing(
          "admin organizations rename",
          (db) => renameOrganization(db.write, name, to),
          (tx) => organizationSubject(tx, to),
        ),
    },
    users: {
      list: (organization?: string) => asOperator(flags, (db) => listUsers(db.read, organization)),
      create: (user: Pick<User, "email" | "organization" | "role">) =>
        changing(
          "admin users create",
          (db) => createUser(db.write, user),
          (tx) => userSubject(tx, user.email),
        ),
      setRole: (email: string, role: User["role"]) =>
        changing(
          `admin users set-role ${role}`,
          (db) => setRole(db.write, email, role),
          (tx) => userSubject(tx, email),
        ),
      setDisabled: (email: string, disabled: boolean) =>
        changing(
          `admin users ${disabled ? "disable" : "enable"}`,
          (db) => setUserDisabled(db.write, email, disabled),
          (tx) => userSubject(tx, email),
        ),
    },
    serviceAccounts: {
      list: (organization?: string) => asOperator(flags, (db) => listServiceAccounts(db.read, organization)),
      create: (account: { name: string; organization: string }) =>
        changing(
          "admin service-accounts create",
          (db) => createServiceAccount(db.write, account),
          (tx) => serviceAccountSubject(tx, account),
        ),
      setDisabled: (account: { name: string; organization: string }, disabled: boolean) =>
        changing(
          `admin service-accounts ${disabled ? "disable" : "enable"}`,
          (db) => setServiceAccountDisabled(db.write, account, disabled),
          (tx) => serviceAccountSubject(tx, account),
        ),
    },
    hosts: {
      list: () => asOperator(flags, (db, config) => listHosts(db.read, installationId(config.dataDir))),
      setDraining: (id: string, draining: boolean) =>
        changing(
          `admin hosts ${draining ? "drain" : "drain --cancel"}`,
          (db) => setDraining(db.write, id, draining),
          () => ({ organizationId: null, resources: [id] }),
        ),
      forget: (id: string, force: boolean) =>
        changing(
          "admin hosts forget",
          (db, config) => forgetHost(db.write, id, { graceMs: config.hostGraceSeconds * 1_000, force }),
          () => ({ organizationId: null, resources: [id] }),
        ),
    },
    limits: {
      list: (owner: LimitedOwner) => asOperator(flags, (db, config) => listLimits(db.write, owner, config)),
      /** See `changeLimits`. */
      change: (owner: LimitedOwner, values: Parameters<typeof changeLimits>[2]) =>
        changing(
          `admin limits ${[...values.values()].every((value) => value === undefined) ? "unset" : "set"}`,
          (db) => changeLimits(db.write, owner, values),
          (tx) =>
            owner.user === undefined
              ? organizationSubject(tx, owner.organization ?? "")
              : userSubject(tx, owner.user),
        ),
    },
    retention: {
      list: (organization: string) =>
        asOperator(flags, (db, config) => listRetention(db.read, organization, config)),
      /** See `changeRetention`. */
      change: (organization: string, values: Parameters<typeof changeRetention>[2]) =>
        changing(
          `admin retention ${[...values.values()].every((value) => value === undefined) ? "unset" : "set"}`,
          (db) => changeRetention(db.write, organization, values),
          (tx) => organizationSubject(tx, organization),
        ),
    },
    erasures: {
      list: () => asOperator(flags, (db) => listErasures(db.read)),
      get: (id: string) => asOperator(flags, (db) => getErasure(db.read, id)),
      /** Asks for an erasure, which running services carry out. Returns its id. */
      begin: (subject: ErasureSubject) =>
        changing(
          "admin erase",
          async (db) => (await beginErasure(db.write, subject)).id,
          (tx) =>
            subject.user === undefined
              ? organizationSubject(tx, subject.organization ?? "")
              : userSubject(tx, subject.user),
        ),
      /** See `waitForErasure`. */
      wait: (id: string, waitMs: number) => asOperator(flags, (db) => waitForErasure(db, id, waitMs)),
    },
    logins: {
      find: (code: string) => asOperator(flags, (db, config) => findLogin(db, code, config)),
      approve: (code: string, approval: LoginApproval) =>
        changing(
          "admin login approve",
          (db, config) => approveLogin(db, code, approval, config),
          async (tx, { id }) => {
            const { organizationId, resources } = await userSubject(tx, approval.user);
            return { organizationId, resources: [id, ...resources] };
          },
        ),
      deny: (code: string) =>
        changing(
          "admin login deny",
          (db, config) => denyLogin(db, code, config),
          (_, { id }) => ({ organizationId: null, resources: [id] }),
        ),
    },
    audit: {
      /** See `readAuditEntries`. */
      read: (query: AuditQuery, limit: number | null, onPage: Parameters<typeof readAuditEntries>[3]) =>
        asOperator(flags, (db) => readAuditEntries(db.read, query, limit, onPage)),
    },
  };
}

/** Creates a token, with its user, organization or service account where missing, and returns its secret. */
export async function createOperatorToken(
  options: Omit<TokenFor, "db"> | Omit<ServiceAccountTokenFor, "db">,
  flags: InstallationFlags = {},
): Promise<string> {
  return await auditedCommand(
    flags,
    "token create",
    (db) =>
      "serviceAccount" in options
        ? createServiceAccountToken({ ...options, db })
        : createTokenFor({ ...options, db }),
    (tx, secret) => tokenSubject(tx, secret),
  );
}
