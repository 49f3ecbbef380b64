import { UsageError } from "../../failure.ts";
import { type AdminOptions, administer, printMade, printRows } from "./installation.ts";

type Role = "member" | "admin";

export async function list(options: AdminOptions & { org?: string }): Promise<undefined> {
  const rows = await administer(options, (admin) => admin.users.list(options.org));
  printRows(rows, ["id", "email", "organization", "role", "disabled_at"], options);
}

export async function create(
  email: string,
  options: AdminOptions & { org: string; role: Role },
): Promise<undefined> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError("The email must be an email address.");
  const { org: organization, role } = options;
  printMade(await administer(options, (admin) => admin.users.create({ email, organization, role })), options);
}

export async function setRole(email: string, role: string, options: AdminOptions): Promise<undefined> {
  if (role !== "member" && role !== "admin") throw new UsageError("The role must be member or admin.");
  await administer(options, (admin) => admin.users.setRole(email, role));
}

export async function disable(email: string, options: AdminOptions): Promise<undefined> {
  await administer(options, (admin) => admin.users.setDisabled(email, true));
}

export async function enable(email: string, options: AdminOptions): Promise<undefined> {
  await administer(options, (admin) => admin.users.setDisabled(email, false));
}
