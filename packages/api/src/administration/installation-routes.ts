import { adminRoutes, parseId } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { CodeAttempts, type Rates } from "@berth/store/limits";
import { LIMIT_NAMES, RETAINED_NAMES } from "@berth/store/names";
import type { OperatorRequest } from "./administrator.ts";
import { type MountAdmin, requireId } from "./by-request.ts";
import { pageOfErasures } from "./erasures.ts";
import { pageOfAuditEntries } from "./list-audit-entries.ts";
import { pageOfHosts } from "./page-of-hosts.ts";

const {
  adminLimits: limits,
  adminRetention: retention,
  adminErasures: erasures,
  adminDeviceAuthorizations: logins,
  adminHosts: hosts,
  adminSessions: sessions,
  adminAuditEntries: auditEntries,
} = adminRoutes;

/** Mounts the routes for limits, retention, erasures, logins, hosts, sessions and the audit log. */
export function mountInstallation(mount: MountAdmin, attempts: Rates): void {
  mountLimits(mount);
  mountErasures(mount);
  mountLogins(mount, new CodeAttempts(attempts));
  mountHosts(mount);
  mount(sessions.release, (admin, { params }) => admin.sessions.release(params.session_id));
  mount(auditEntries.list, (_admin, input, request) => pageOfAuditEntries(request, input));
}

function mountLimits(mount: MountAdmin): void {
  mount(limits.get, (admin, { params }) => admin.limits.list(ownerOf(params.owner_id)));
  mount(limits.update, (admin, { params, body }) =>
    admin.limits.change(ownerOf(params.owner_id), changes(LIMIT_NAMES, body)),
  );
  mount(retention.get, (admin, { params }) =>
    admin.retention.list(requireId("organization", params.organization_id)),
  );
  mount(retention.update, (admin, { params, body }) =>
    admin.retention.change(requireId("organization", params.organization_id), changes(RETAINED_NAMES, body)),
  );
}

/** @throws errors.notFound when the id is neither of a user nor of an organization. */
function ownerOf(id: string) {
  if (parseId("user", id) !== null) return { user: id };
  if (parseId("organization", id) !== null) return { organization: id };
  throw errors.notFound("owner", id);
}

/**
 * Returns the names that the body contains, with their values. Null in the body becomes undefined, which
 * restores the setting; `none` becomes null.
 */
function changes<Name extends string>(
  names: readonly Name[],
  body: Partial<Record<Name, number | "none" | null | undefined>>,
): Map<Name, number | null | undefined> {
  const given = new Map<Name, number | null | undefined>();
  for (const name of names) {
    const value = body[name];
    if (value !== undefined) given.set(name, value === null ? undefined : value === "none" ? null : value);
  }
  return given;
}

function mountErasures(mount: MountAdmin): void {
  mount(erasures.create, (admin, { body: { user_id: user, organization_id: organization } }) =>
    admin.erasures.begin({
      ...(user !== undefined && { user: requireId("user", user) }),
      ...(organization !== undefined && { organization: requireId("organization", organization) }),
    }),
  );
  mount(erasures.list, (_admin, input, request) => pageOfErasures(request, input));
  mount(erasures.get, (admin, { params }) => admin.erasures.get(requireId("erasure", params.erasure_id)));
}

function mountLogins(mount: MountAdmin, attempts: CodeAttempts): void {
  const counted = async ({ principal, client }: OperatorRequest, code: string) => {
    await attempts.take(principal.id, client);
    return code;
  };
  mount(logins.lookup, async (admin, { body }, request) =>
    admin.logins.find(await counted(request, body.user_code)),
  );
  mount(logins.approve, async (admin, { body }, request) => {
    const approval = { user: requireId("user", body.user_id), scopes: body.scopes ?? undefined };
    return admin.logins.approve(await counted(request, body.user_code), approval);
  });
  mount(logins.deny, async (admin, { body }, request) =>
    admin.logins.deny(await counted(request, body.user_code)),
  );
}

function mountHosts(mount: MountAdmin): void {
  mount(hosts.list, async (admin, input, request) => pageOfHosts(request, input, await admin.hosts.list()));
  mount(hosts.drain, (admin, { params }) => admin.hosts.setDraining(hostId(params), true));
  mount(hosts.resume, (admin, { params }) => admin.hosts.setDraining(hostId(params), false));
  mount(hosts.forget, (admin, { params, body }) => admin.hosts.forget(hostId(params), body.force));
}

/** @throws errors.notFound when the id contains NUL, which PostgreSQL cannot store. */
function hostId({ host_id: id }: { host_id: string }): string {
  if (id.includes("\0")) throw errors.notFound("host", id);
  return id;
}
