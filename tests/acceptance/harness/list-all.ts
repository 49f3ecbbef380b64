import type { AnyJson, Api } from "./api.ts";

/**
 * Returns the objects on all pages of a list, in order.
 *
 * @param path with filters and a page limit, if any.
 */
export async function listAll(client: Pick<Api, "ok">, path: string): Promise<AnyJson[]> {
  const joint = path.includes("?") ? "&" : "?";
  const all: AnyJson[] = [];
  for (let page: string | null = ""; page !== null; ) {
    const query = page === "" ? "" : `${joint}page=${encodeURIComponent(page)}`;
    const part: AnyJson = await client.ok("GET", `${path}${query}`);
    all.push(...part.data);
    page = part.next_page;
  }
  return all;
}
