import { type AdminOptions, administer, printMade, printRows } from "./installation.ts";

export async function list(options: AdminOptions): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.organizations.list());
  printRows(rows, ["id", "name", "users", "service_accounts"], options);
}

export async function create(name: string, options: AdminOptions): Promise<undefined> {
  printMade(await administer(options, (admin) => admin.organizations.create(name)), options);
}

export async function rename(name: string, newName: string, options: AdminOptions): Promise<undefined> {
  await administer(options, (admin) => admin.organizations.rename(name, newName));
}
