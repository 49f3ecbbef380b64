import type { Berth, PagedList } from "@berth/sdk";
import { type ConnectionOptions, connect, isOperatorToken } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { type NamedObjects, namedObjects } from "./named-objects.ts";

/** Options of every command of administration. */
export interface AdminOptions extends OutputOptions, ConnectionOptions {}

/**
 * Returns the API of administration, and functions that resolve names to ids. An operator's token administers
 * all organizations, an admin's own token their organization.
 */
export async function administer(
  options: AdminOptions,
): Promise<{ admin: Berth["admin"]; named: NamedObjects }> {
  let isOperators = false;
  const { admin } = await connect(options, (token) => {
    isOperators = isOperatorToken(token);
  });
  return { admin, named: namedObjects(admin, isOperators) };
}

/** Returns all items of a list, from all its pages. */
export async function allOf<Item>(list: PagedList<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
