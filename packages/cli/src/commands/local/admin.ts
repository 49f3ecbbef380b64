import type { AuditEntry, Host } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { isForPeople, printItem, printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";
import { approvedLine, DENIED_LINE, describeAuthorization } from "../login/describe-authorization.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { scopeOf } from "./scope-of.ts";

type InOrganization = AdminOptions & { org: string };
type Filter = AdminOptions & { org?: string };
type Role = "member" | "admin";

const REJECTED = "All tokens of it are rejected from now on.";

export async function listOrganizations(options: AdminOptions): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.organizations.list());
  await printRows(sorted(rows, "name"), ["id", "name", "users", "service_accounts"], options);
}

export async function createOrganization(name: string, options: AdminOptions): Promise<undefined> {
  await printCreated(await administer(options, (admin) => admin.organizations.create(name)), options);
}

export async function renameOrganization(
  name: string,
  newName: string,
  options: AdminOptions,
): Promise<undefined> {
  await administer(options, (admin) => admin.organizations.rename(name, newName));
}

export async function listUsers(options: Filter): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.users.list(options.org));
  await printRows(sorted(rows, "email"), ["id", "email", "organization", "role", "disabled_at"], options);
}

export async function createUser(
  email: string,
  options: InOrganization & { role: Role },
): Promise<undefined> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError("The email must be an email address.");
  const user = { email, organization: options.org, role: options.role };
  await printCreated(await administer(options, (admin) => admin.users.create(user)), options);
}

export async function setRole(email: string, role: string, options: AdminOptions): Promise<undefined> {
  if (role !== "member" && role !== "admin") throw new UsageError("The role must be member or admin.");
  await administer(options, (admin) => admin.users.setRole(email, role));
}

export async function disableUser(email: string, options: AdminOptions & ConfirmOptions): Promise<undefined> {
  await administer(options, async (admin) => {
    await confirm(`Disable the user ${plainLine(email)}? ${REJECTED}`, options);
    await admin.users.setDisabled(email, true);
  });
}

export async function enableUser(email: string, options: AdminOptions): Promise<undefined> {
  await administer(options, (admin) => admin.users.setDisabled(email, false));
}

export async function listServiceAccounts(options: Filter): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.serviceAccounts.list(options.org));
  await printRows(
    sorted(rows, "name", "organization"),
    ["id", "name", "organization", "disabled_at"],
    options,
  );
}

export async function createServiceAccount(name: string, options: InOrganization): Promise<undefined> {
  const account = { name, organization: options.org };
  await printCreated(await administer(options, (admin) => admin.serviceAccounts.create(account)), options);
}

export async function disableServiceAccount(
  name: string,
  options: InOrganization & ConfirmOptions,
): Promise<undefined> {
  const account = { name, organization: options.org };
  const question = `Disable the service account ${plainLine(name)} of ${plainLine(options.org)}? ${REJECTED}`;
  await administer(options, async (admin) => {
    await confirm(question, options);
    await admin.serviceAccounts.setDisabled(account, true);
  });
}

export async function enableServiceAccount(name: string, options: InOrganization): Promise<undefined> {
  const account = { name, organization: options.org };
  await administer(options, (admin) => admin.serviceAccounts.setDisabled(account, false));
}

export async function approveLogin(
  code: string,
  options: AdminOptions & ConfirmOptions & { user: string; scopes?: string[] },
): Promise<undefined> {
  const scopes = options.scopes?.map(scopeOf);
  const approved = await administer(options, async (admin) => {
    for (const line of describeAuthorization(await admin.logins.find(code))) printMessage(line);
    await confirm(`Let it have a token of ${plainLine(options.user)}?`, options);
    return await admin.logins.approve(code, { user: options.user, scopes });
  });
  await printResult(approved, options, () => [approvedLine(approved)]);
}

export async function denyLogin(code: string, options: AdminOptions & ConfirmOptions): Promise<undefined> {
  const denied = await administer(options, async (admin) => {
    for (const line of describeAuthorization(await admin.logins.find(code))) printMessage(line);
    await confirm("Let it have no token?", options);
    return await admin.logins.deny(code);
  });
  await printResult(denied, options, () => [DENIED_LINE]);
}

export async function listHosts(options: AdminOptions): Promise<undefined> {
  const hosts = await administer(options, (admin) => admin.hosts.list());
  await printResult({ data: hosts }, options, () => tableOf(hosts.map(hostRow), HOST_COLUMNS));
}

const HOST_COLUMNS = [
  "id",
  "name",
  "place",
  "role",
  "version",
  "load",
  "last_seen",
  "sessions",
  "deleted_sessions",
  "draining",
  "other_settings",
] as const;

function hostRow(host: Host) {
  const seconds = host.seen_seconds_ago;
  return {
    ...host,
    load: `${host.running_sessions}/${host.capacity ?? "-"}`,
    last_seen: seconds === null ? "never" : `${Math.max(0, Math.round(seconds))} s ago`,
    draining: host.draining ? "yes" : "no",
    other_settings: host.other_settings.join(" ") || null,
  };
}

export async function drainHost(
  id: string,
  options: AdminOptions & { cancel?: boolean },
): Promise<undefined> {
  const host = await administer(options, (admin) => admin.hosts.setDraining(id, options.cancel !== true));
  const told = options.cancel
    ? `The host ${id} takes sessions again.`
    : `The host ${id} takes no new sessions. It has the disks of ${host.sessions} sessions. When one is quiet, its outputs are saved and its disk is deleted, with everything that was not pushed, unless workspaces are saved (BERTH_WORKSPACE_SAVES).`;
  await printResult(host, options, () => [told]);
}

export async function forgetHost(
  id: string,
  options: AdminOptions & ConfirmOptions & { force?: boolean },
): Promise<undefined> {
  const question = `Forget the host ${plainLine(id)}? Its disks are given up, with everything that was not pushed or saved.`;
  const forgotten = await administer(options, async (admin) => {
    await confirm(question, options);
    return await admin.hosts.forget(id, options.force === true);
  });
  const told = `The host ${id} is forgotten. The disks of ${forgotten.sessions} sessions are given up.`;
  await printResult(forgotten, options, () => [told]);
}

export async function releaseSession(id: string, options: AdminOptions): Promise<undefined> {
  const released = await administer(options, (admin) => admin.sessions.release(id));
  const told = released.was_set_aside
    ? `The session ${id} is released: its turns are run again.`
    : `The session ${plainLine(id)} was not set aside.`;
  await printResult(released, options, () => [told]);
}

interface AuditOptions extends AdminOptions {
  org?: string;
  user?: string;
  operation?: string;
  resource?: string;
  since?: Date;
  until?: Date;
  limit: number;
  all?: boolean;
}

export async function listAuditEntries({ org, limit, all, ...options }: AuditOptions): Promise<undefined> {
  const { user, operation, resource, since, until } = options;
  const filter = { organization: org, user, operation, resource, since, until };
  const rows: ReturnType<typeof auditRow>[] = [];
  const onPage = async (entries: readonly AuditEntry[]) => {
    if (isForPeople(options)) rows.push(...entries.map(auditRow));
    else for (const entry of entries) await printItem(entry, options);
  };
  await administer(options, (admin) => admin.audit.read(filter, all ? null : limit, onPage));
  if (isForPeople(options)) await printRows(rows, AUDIT_COLUMNS, options);
}

const AUDIT_COLUMNS = ["time", "actor", "operation", "resources", "client"] as const;

function auditRow({ created_at, actor_type, actor_id, ...entry }: AuditEntry) {
  const actor = entry.actor ?? actor_id ?? actor_type;
  return { ...entry, time: created_at, actor, resources: entry.resources.join(" ") || null };
}

/** Sorts by these columns, so that lists have the same order by machine and by URL. */
function sorted<Row extends object>(rows: readonly Row[], ...columns: (keyof Row)[]): Row[] {
  const key = (row: Row) => JSON.stringify(columns.map((name) => row[name]));
  return rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Prints the given columns for people, else whole objects. */
export async function printRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  options: AdminOptions,
): Promise<void> {
  await printResult({ data: rows }, options, () => tableOf(rows, columns));
}

function tableOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): string[] {
  if (rows.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const head = columns.map((name) => dim(name.replaceAll("_", " ").toUpperCase()));
  const cells = rows.map((row) => columns.map((name) => plainLine(`${row[name] ?? "-"}`)));
  return table([head, ...cells]);
}

/** Prints the id of a new object for people, else the whole object. */
async function printCreated(created: { id: string }, options: AdminOptions): Promise<void> {
  await printResult(created, options, () => [created.id]);
}
