import type { PagedList } from "@berth/sdk";

/** Returns all items of a list, from all its pages. */
export async function allOf<Item>(list: PagedList<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
