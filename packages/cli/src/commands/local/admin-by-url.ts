import type { Berth } from "@berth/sdk";
import type { Administration } from "@berth/server";
import { auditByUrl, erasuresByUrl } from "./admin-logs-by-url.ts";
import { allOf } from "./all-of.ts";
import { namedObjects } from "./named-objects.ts";

/** Returns the operator's commands, carried out by the API of a service. Names are resolved to ids first. */
export function administrationByUrl({ admin }: Berth): Administration {
  const named = namedObjects(admin);
  return {
    organizations: {
      list: () => allOf(admin.organizations.list({ limit: 100 })),
      create: (name) => admin.organizations.create({ name }),
      rename: async (organization, name) =>
        await admin.organizations.update(await named.organization(organization), { name }),
    },
    users: {
      list: async (organization) => await allOf(admin.users.list(await named.filter(organization))),
      create: async ({ organization, ...user }) =>
        await admin.users.create({ ...user, organization_id: await named.organization(organization) }),
      setRole: async (user, role) => await admin.users.update(await named.user(user), { role }),
      setDisabled: async (user, disabled) =>
        await admin.users[disabled ? "disable" : "enable"](await named.user(user)),
    },
    serviceAccounts: {
      list: async (organization) => await allOf(admin.serviceAccounts.list(await named.filter(organization))),
      create: async ({ name, organization }) =>
        await admin.serviceAccounts.create({
          name,
          organization_id: await named.organization(organization),
        }),
      setDisabled: async (account, disabled) =>
        await admin.serviceAccounts[disabled ? "disable" : "enable"](await named.serviceAccount(account)),
    },
    tokens: {
      create: async ({ user, serviceAccount, name, scopes, expiresAt = null }) =>
        await admin.tokens.create({
          ...(user !== undefined && { user_id: await named.user(user) }),
          ...(serviceAccount !== undefined && {
            service_account_id: await named.serviceAccount(serviceAccount),
          }),
          name,
          scopes: [...scopes],
          expires_at: expiresAt,
        }),
    },
    operatorTokens: {
      list: () => allOf(admin.operatorTokens.list({ limit: 100 })),
      create: ({ name, expiresAt = null }) => admin.operatorTokens.create({ name, expires_at: expiresAt }),
      revoke: (id) => admin.operatorTokens.delete(id),
    },
    hosts: {
      list: () => allOf(admin.hosts.list()),
      setDraining: (id, draining) => admin.hosts[draining ? "drain" : "resume"](id),
      forget: (id, force) => admin.hosts.forget(id, { force }),
    },
    sessions: { release: (id) => admin.sessions.release(id) },
    limits: {
      list: async (owner) => await admin.limits.get(await named.owner(owner)),
      change: async (owner, values) => await admin.limits.update(await named.owner(owner), bodyOf(values)),
    },
    retention: {
      list: async (organization) => await admin.retention.get(await named.organization(organization)),
      change: async (organization, values) =>
        await admin.retention.update(await named.organization(organization), bodyOf(values)),
    },
    erasures: erasuresByUrl(admin, named),
    logins: {
      find: (code) => admin.deviceAuthorizations.lookup({ user_code: code }),
      approve: async (code, { user, scopes }) =>
        await admin.deviceAuthorizations.approve({
          user_code: code,
          user_id: await named.user(user),
          scopes: scopes === undefined ? null : [...scopes],
        }),
      deny: (code) => admin.deviceAuthorizations.deny({ user_code: code }),
    },
    audit: auditByUrl(admin, named),
  };
}

/** Returns the body of a change. In the API, null removes an own value, and `none` means no limit. */
function bodyOf(values: ReadonlyMap<string, number | null | undefined>): object {
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, value === null ? "none" : (value ?? null)]),
  );
}
