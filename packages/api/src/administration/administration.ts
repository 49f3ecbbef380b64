import { WHOLE } from "@berth/store/db";
import type { LimitName, RetainedName } from "@berth/store/names";
import type { Administrator } from "./administrator.ts";
import { type AuditQuery, readAuditEntries } from "./audit-entries.ts";
import { beginErasure, type ErasureSubject, getErasure, listErasures, waitForErasure } from "./erasures.ts";
import { forgetHost, setDraining } from "./host-store.ts";
import { changeLimits, type LimitedOwner, listLimits } from "./limit-store.ts";
import { listHosts } from "./list-hosts.ts";
import { approveLogin, denyLogin, findLogin, type LoginApproval } from "./logins.ts";
import { administerMembers } from "./members.ts";
import { selectOperatorTokens, toOperatorToken } from "./operator-token-store.ts";
import { createOperatorToken, type OperatorTokenTerms, revokeOperatorTokens } from "./operator-tokens.ts";
import { releaseAnySession } from "./release-any-session.ts";
import { changeRetention, listRetention } from "./retention-store.ts";
import { subject } from "./subject.ts";

/** Values by name. Null means no limit, whatever the settings say; undefined restores the setting. */
type Values<Name> = ReadonlyMap<Name, number | null | undefined>;

/**
 * Returns the functions of administration: organizations, users and service accounts, identified by name or
 * id, their limits and data, hosts, and the audit log. They reject with `OperatorError` when something does
 * not exist or already exists.
 *
 * @param parent uuid of the operator token of the request; null for a command on the machine.
 */
export function administration(by: Administrator, parent: string | null) {
  return {
    ...administerMembers(by),
    operatorTokens: {
      list: () => by.read(async (db) => (await selectOperatorTokens(db.read, WHOLE)).map(toOperatorToken)),
      create: (terms: OperatorTokenTerms) =>
        by.change(
          "admin operator-tokens create",
          (db) => createOperatorToken(db.write, terms, parent),
          ({ id }) => subject(null, id),
        ),
      revoke: (id: string) =>
        by.change(
          "admin operator-tokens revoke",
          (db) => revokeOperatorTokens(db.write, id),
          (revoked) => subject(null, revoked.id, ...revoked.revoked_descendants),
        ),
    },
    hosts: {
      list: () => by.read((db, { hostId }) => listHosts(db.read, hostId)),
      setDraining: (id: string, draining: boolean) =>
        by.change(
          `admin hosts ${draining ? "drain" : "drain --cancel"}`,
          (db, { hostId }) => setDraining(db.write, id, draining, hostId),
          () => subject(null, id),
        ),
      forget: (id: string, force: boolean) =>
        by.change(
          "admin hosts forget",
          (db, { hostGraceSeconds }) =>
            forgetHost(db.write, id, { graceMs: hostGraceSeconds * 1_000, force }),
          () => subject(null, id),
        ),
    },
    sessions: {
      release: (id: string) =>
        by.change(
          "admin sessions release",
          (db) => releaseAnySession(db.write, id),
          ({ organization_id }) => subject(organization_id, id),
        ),
    },
    limits: {
      list: (owner: LimitedOwner) => by.read((db, settings) => listLimits(db.read, owner, settings)),
      /** See `changeLimits`. */
      change: (owner: LimitedOwner, values: Values<LimitName>) =>
        by
          .change(
            `admin limits ${settingOrUnsetting(values)}`,
            async (db, settings) => {
              const { organization } = await changeLimits(db.write, owner, values);
              return { organization, limits: await listLimits(db.write, owner, settings) };
            },
            ({ organization, limits }) => subject(organization, limits.id),
          )
          .then(({ limits }) => limits),
    },
    retention: {
      list: (organization: string) =>
        by.read((db, settings) => listRetention(db.read, organization, settings)),
      /** See `changeRetention`. */
      change: (organization: string, values: Values<RetainedName>) =>
        by.change(
          `admin retention ${settingOrUnsetting(values)}`,
          async (db, settings) => {
            await changeRetention(db.write, organization, values);
            return await listRetention(db.write, organization, settings);
          },
          ({ id }) => subject(id, id),
        ),
    },
    erasures: {
      list: () => by.read((db) => listErasures(db.read)),
      get: (id: string) => by.read((db) => getErasure(db.read, id)),
      /** Requests an erasure, which running services carry out. */
      begin: (whose: ErasureSubject) =>
        by.change(
          "admin erase",
          (db) => beginErasure(db.write, whose),
          (receipt) => subject(receipt.organization_id, receipt.subject_id),
        ),
      /** See `waitForErasure`. */
      wait: (id: string, waitMs: number) => by.read((db) => waitForErasure(db, id, waitMs)),
    },
    logins: {
      find: (code: string) => by.read((db, settings) => findLogin(db, code, settings)),
      approve: (code: string, approval: LoginApproval) =>
        by
          .change(
            "admin login approve",
            (db, settings) => approveLogin(db, code, approval, settings),
            ({ login, organization, user }) => subject(organization, login.id, user),
          )
          .then(({ login }) => login),
      deny: (code: string) =>
        by.change(
          "admin login deny",
          (db, settings) => denyLogin(db, code, settings),
          ({ id }) => subject(null, id),
        ),
    },
    audit: {
      /** See `readAuditEntries`. */
      read: (query: AuditQuery, limit: number | null, onPage: Parameters<typeof readAuditEntries>[3]) =>
        by.read((db) => readAuditEntries(db.read, query, limit, onPage)),
    },
  };
}

export type Administration = ReturnType<typeof administration>;

function settingOrUnsetting(values: Values<string>): "set" | "unset" {
  return [...values.values()].every((value) => value === undefined) ? "unset" : "set";
}
