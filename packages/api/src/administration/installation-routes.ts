import { adminRoutes, type Host, type Input, type Page, parseId } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { CodeAttempts, type Rates } from "@berth/store/limits";
import { LIMIT_NAMES, RETAINED_NAMES } from "@berth/store/names";
import { onwardPage, openCursor } from "../request/page.ts";
import { type AdminRequest, type MountAdmin, requireId, subject } from "./admin-mount.ts";
import { beginErasure, checkMayErase, getErasure, pageOfErasures } from "./erasures.ts";
import { exportAuditEntries } from "./export-audit-entries.ts";
import { forgetHost, setDraining } from "./host-store.ts";
import { changeLimits, listLimits } from "./limit-store.ts";
import { pageOfAuditEntries } from "./list-audit-entries.ts";
import { listHosts } from "./list-hosts.ts";
import { approveLogin, denyLogin, findLogin } from "./logins.ts";
import { releaseAnySession } from "./release-any-session.ts";
import { changeRetention, listRetention } from "./retention-store.ts";

const {
  adminLimits: limits,
  adminRetention: retention,
  adminErasures: erasures,
  adminDeviceAuthorizations: logins,
  adminHosts: hosts,
  adminSessions: sessions,
  adminAuditEntries: auditEntries,
} = adminRoutes;

/**
 * Mounts the routes for limits, retention, erasures, logins, hosts, sessions and the audit log.
 *
 * @param attempts rate counter for tries of user codes.
 */
export function mountInstallation(mount: MountAdmin, attempts: Rates): void {
  mountLimits(mount);
  mountErasures(mount);
  mountLogins(mount, new CodeAttempts(attempts));
  mountHosts(mount);
  mount(sessions.release, ({ change }, { params }) =>
    change(
      (db) => releaseAnySession(db.write, params.session_id),
      ({ id, organization_id }) => subject(organization_id, id),
    ),
  );
  mount(auditEntries.list, pageOfAuditEntries);
  mount.content(auditEntries.export, exportAuditEntries);
}

function mountLimits(mount: MountAdmin): void {
  mount(limits.get, ({ db, settings }, { params }) =>
    listLimits(db.read, ownerOf(params.owner_id), settings),
  );
  mount(limits.update, async ({ change, settings }, { params, body }) => {
    const owner = ownerOf(params.owner_id);
    const { changed } = await change(
      async (db) => {
        const { organization } = await changeLimits(db.write, owner, changes(LIMIT_NAMES, body));
        return { organization, changed: await listLimits(db.write, owner, settings) };
      },
      ({ organization, changed: { id } }) => subject(organization, id),
    );
    return changed;
  });
  mount(retention.get, ({ db, settings }, { params }) =>
    listRetention(db.read, requireId("organization", params.organization_id), settings),
  );
  mount(retention.update, ({ change, settings }, { params, body }) =>
    change(
      async (db) => {
        const id = requireId("organization", params.organization_id);
        await changeRetention(db.write, id, changes(RETAINED_NAMES, body));
        return await listRetention(db.write, id, settings);
      },
      ({ id }) => subject(id, id),
    ),
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
  mount(
    erasures.create,
    ({ change, principal }, { body: { user_id: user, organization_id: organization } }) =>
      change(
        async ({ write: tx }) => {
          const whose = {
            ...(user !== undefined && { user: requireId("user", user) }),
            ...(organization !== undefined && { organization: requireId("organization", organization) }),
          };
          await checkMayErase(tx, principal, whose);
          return await beginErasure(tx, whose);
        },
        (receipt) => subject(receipt.organization_id, receipt.subject_id),
      ),
  );
  mount(erasures.list, pageOfErasures);
  mount(erasures.get, ({ db }, { params }) => getErasure(db.read, requireId("erasure", params.erasure_id)));
}

function mountLogins(mount: MountAdmin, attempts: CodeAttempts): void {
  const counted = async ({ principal, client }: AdminRequest, code: string) => {
    await attempts.take(principal.id, client);
    return code;
  };
  mount(logins.lookup, async (request, { body }) =>
    findLogin(request.db, await counted(request, body.user_code), request.settings),
  );
  mount(logins.approve, async (request, { body }) => {
    const approval = { user: requireId("user", body.user_id), scopes: body.scopes ?? undefined };
    const code = await counted(request, body.user_code);
    const { login } = await request.change(
      (db) => approveLogin(db, code, approval, request.settings),
      (approved) => subject(approved.organization, approved.login.id, approved.user),
    );
    return login;
  });
  mount(logins.deny, async (request, { body }) => {
    const code = await counted(request, body.user_code);
    return await request.change(
      (db) => denyLogin(db, code, request.settings),
      ({ id }) => subject(null, id),
    );
  });
}

function mountHosts(mount: MountAdmin): void {
  mount(hosts.list, async (request, input) =>
    pageOfHosts(request, input, await listHosts(request.db.read, request.settings.hostId)),
  );
  for (const [route, draining] of [
    [hosts.drain, true],
    [hosts.resume, false],
  ] as const)
    mount(route, ({ change, settings }, { params }) =>
      change(
        (db) => setDraining(db.write, hostId(params), draining, settings.hostId),
        ({ id }) => subject(null, id),
      ),
    );
  mount(hosts.forget, ({ change, settings: { hostGraceSeconds } }, { params, body: { force } }) =>
    change(
      (db) => forgetHost(db.write, hostId(params), { graceMs: hostGraceSeconds * 1_000, force }),
      ({ id }) => subject(null, id),
    ),
  );
}

/** @throws errors.notFound when the id contains NUL, which PostgreSQL cannot store. */
function hostId({ host_id: id }: { host_id: string }): string {
  if (id.includes("\0")) throw errors.notFound("host", id);
  return id;
}

/** Returns a page of all hosts, by id. A cursor holds the last host of the previous page. */
function pageOfHosts(
  request: AdminRequest,
  input: Input<typeof adminRoutes.adminHosts.list>,
  all: readonly Host[],
): Page<Host> {
  const after = openCursor(request, input)?.position ?? "";
  const left = all.filter(({ id }) => id > after).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return onwardPage(request, input, left);
}
