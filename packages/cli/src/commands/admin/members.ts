import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { type AdminOptions, administer, allOf } from "./administer.ts";
import { printRows } from "./print-rows.ts";

type InOrganization = AdminOptions & { org?: string };
type Role = "member" | "admin";

const REJECTED = "All tokens of it are rejected from now on.";

export async function listOrganizations(options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const rows = await allOf(admin.organizations.list({ limit: 100 }));
  await printRows(
    sorted(rows, "name"),
    ["id", "name", "users", "service_accounts", "default_visibility", "admin_group"],
    options,
  );
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

interface OrganizationOptions extends AdminOptions {
  defaultVisibility?: "private" | "organization";
  commitSigning?: "on" | "off";
  /** False: none. */
  adminGroup?: string | false;
}

/** Changes an organization. Prints the public key if commits are signed from now on. */
export async function setOrganization(
  given: string,
  { defaultVisibility, commitSigning, adminGroup, ...options }: OrganizationOptions,
): Promise<undefined> {
  if (defaultVisibility === undefined && commitSigning === undefined && adminGroup === undefined)
    throw new UsageError(
      "Nothing to set: give --default-visibility, --commit-signing, --admin-group or --no-admin-group.",
    );
  const { admin, named } = await administer(options);
  const { signing_key: key } = await admin.organizations.update(await named.organization(given), {
    ...(defaultVisibility !== undefined && { default_visibility: defaultVisibility }),
    ...(commitSigning !== undefined && { commit_signing: commitSigning === "on" }),
    ...(adminGroup !== undefined && { admin_group: adminGroup === false ? null : adminGroup }),
  });
  if (commitSigning === "on") process.stdout.write(`${key}\n`);
}

export async function listUsers(options: InOrganization): Promise<undefined> {
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

export async function listServiceAccounts(options: InOrganization): Promise<undefined> {
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
  const of = options.org === undefined ? "" : ` of ${plainLine(options.org)}`;
  const question = `Disable the service account ${plainLine(name)}${of}? ${REJECTED}`;
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
