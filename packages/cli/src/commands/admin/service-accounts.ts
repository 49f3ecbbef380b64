import { type AdminOptions, administer, printMade, printRows } from "./installation.ts";

type OfOrganization = AdminOptions & { org: string };

export async function list(options: AdminOptions & { org?: string }): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.serviceAccounts.list(options.org));
  printRows(rows, ["id", "name", "organization", "disabled_at"], options);
}

export async function create(name: string, options: OfOrganization): Promise<undefined> {
  const account = { name, organization: options.org };
  printMade(await administer(options, (admin) => admin.serviceAccounts.create(account)), options);
}

export async function disable(name: string, options: OfOrganization): Promise<undefined> {
  await setDisabled(name, options, true);
}

export async function enable(name: string, options: OfOrganization): Promise<undefined> {
  await setDisabled(name, options, false);
}

async function setDisabled(name: string, options: OfOrganization, disabled: boolean): Promise<void> {
  const account = { name, organization: options.org };
  await administer(options, (admin) => admin.serviceAccounts.setDisabled(account, disabled));
}
