import type { AnyJson, Api } from "./api.ts";

/**
 * What a list has on all its pages, in its order.
 *
 * @param path with the filters and the limit of a page, if any.
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
