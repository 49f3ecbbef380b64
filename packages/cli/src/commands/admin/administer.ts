import type { Berth, PagedList } from "@berth/sdk";
import { type ConnectionOptions, connect, isOperatorToken } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { type NamedObjects, namedObjects } from "./named-objects.ts";

/** Options of every command of the operator. */
export interface AdminOptions extends OutputOptions, ConnectionOptions {}

/** Returns the API of the operator, and functions that resolve names to ids. @throws UsageError */
export async function administer(
  options: AdminOptions,
): Promise<{ admin: Berth["admin"]; named: NamedObjects }> {
  const { admin } = await connect(options, requireOperatorToken);
  return { admin, named: namedObjects(admin) };
}

function requireOperatorToken(token: string): void {
  if (isOperatorToken(token)) return;
  throw new UsageError(
    "'berth admin' takes an operator token, and this token is of a user or a service account. Create the first one on the host of the service: berth bootstrap --operator NAME",
  );
}

/** Returns all items of a list, from all its pages. */
export async function allOf<Item>(list: PagedList<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
