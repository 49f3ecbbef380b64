import type { PagedList } from "@berth/sdk";

/** All items of a list, of all its pages. */
export async function allOf<Item>(list: PagedList<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
