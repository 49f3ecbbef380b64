import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { type AdminOptions, administer, allOf } from "./administer.ts";
import { printRows } from "./print-rows.ts";

type InOrganization = AdminOptions & { org: string };
type Filter = AdminOptions & { org?: string };
type Role = "member" | "admin";

const REJECTED = "All tokens of it are rejected from now on.";

export async function listOrganizations(options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const rows = await allOf(admin.organizations.list({ limit: 100 }));
  await printRows(sorted(rows, "name"), ["id", "name", "users", "service_accounts"], options);
}

export async function createOrganization(name: string, options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  await printCreated(await admin.organizations.create({ name }), options);
}

export async function renameOrganization(
  given: string,
  name: string,
  options: AdminOptions,
): Promise<undefined> {
  const { admin, named } = await administer(options);
  await admin.organizations.update(await named.organization(given), { name });
}

export async function listUsers(options: Filter): Promise<undefined> {
  const { admin, named } = await administer(options);
  const rows = await allOf(admin.users.list(await named.filter(options.org)));
  await printRows(sorted(rows, "email"), ["id", "email", "organization", "role", "disabled_at"], options);
}

export async function createUser(
  email: string,
  options: InOrganization & { role: Role },
): Promise<undefined> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError("The email must be an email address.");
  const { admin, named } = await administer(options);
  const organization_id = await named.organization(options.org);
  await printCreated(await admin.users.create({ email, organization_id, role: options.role }), options);
}

export async function setRole(email: string, role: string, options: AdminOptions): Promise<undefined> {
  if (role !== "member" && role !== "admin") throw new UsageError("The role must be member or admin.");
  const { admin, named } = await administer(options);
  await admin.users.update(await named.user(email), { role });
}

export async function disableUser(email: string, options: AdminOptions & ConfirmOptions): Promise<undefined> {
  const { admin, named } = await administer(options);
  await confirm(`Disable the user ${plainLine(email)}? ${REJECTED}`, options);
  await admin.users.disable(await named.user(email));
}

export async function enableUser(email: string, options: AdminOptions): Promise<undefined> {
  const { admin, named } = await administer(options);
  await admin.users.enable(await named.user(email));
}

export async function listServiceAccounts(options: Filter): Promise<undefined> {
  const { admin, named } = await administer(options);
  const rows = await allOf(admin.serviceAccounts.list(await named.filter(options.org)));
  await printRows(
    sorted(rows, "name", "organization"),
    ["id", "name", "organization", "disabled_at"],
    options,
  );
}

export async function createServiceAccount(name: string, options: InOrganization): Promise<undefined> {
  const { admin, named } = await administer(options);
  const organization_id = await named.organization(options.org);
  await printCreated(await admin.serviceAccounts.create({ name, organization_id }), options);
}

export async function disableServiceAccount(
  name: string,
  options: InOrganization & ConfirmOptions,
): Promise<undefined> {
  const { admin, named } = await administer(options);
  const question = `Disable the service account ${plainLine(name)} of ${plainLine(options.org)}? ${REJECTED}`;
  await confirm(question, options);
  await admin.serviceAccounts.disable(await named.serviceAccount(name, options.org));
}

export async function enableServiceAccount(name: string, options: InOrganization): Promise<undefined> {
  const { admin, named } = await administer(options);
  await admin.serviceAccounts.enable(await named.serviceAccount(name, options.org));
}

/** Sorts by these columns. */
function sorted<Row extends object>(rows: readonly Row[], ...columns: (keyof Row)[]): Row[] {
  const key = (row: Row) => JSON.stringify(columns.map((name) => row[name]));
  return rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Prints the id of a new object for people, else the whole object. */
async function printCreated(created: { id: string }, options: AdminOptions): Promise<void> {
  await printResult(created, options, () => [created.id]);
}
