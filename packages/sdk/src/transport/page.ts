import type { Page as PageOf } from "@berth/contract";
import { type ApiPromise, apiPromise } from "./api-promise.ts";
import type { Call } from "./options.ts";
import type { Transport } from "./transport.ts";

/** One page of a list. Iterating over it continues with all later pages. */
export class Page<Item> implements PageOf<Item>, AsyncIterable<Item> {
  readonly data: Item[];
  readonly next_page: string | null;
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
  readonly #next: (cursor: string) => PagedList<Item>;

  constructor(page: PageOf<Item>, next: (cursor: string) => PagedList<Item>) {
    this.data = page.data;
    this.next_page = page.next_page;
    this.first_id = page.first_id;
    this.last_id = page.last_id;
    this.has_more = page.has_more;
    this.#next = next;
  }

  /** Fetches the next page. Returns null after the last one. */
  async nextPage(): Promise<Page<Item> | null> {
    return this.next_page === null ? null : this.#next(this.next_page);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page: Page<Item> | null = this; page !== null; page = await page.nextPage()) yield* page.data;
  }
}

/** A list to `await` for its first page, or to iterate over; later pages are fetched when needed. */
export interface PagedList<Item> extends ApiPromise<Page<Item>>, AsyncIterable<Item> {}

/** Requests a list. A list without `next_page` is paged by the first or last id of each page. */
export function pagedList<Item>(transport: Transport, call: Call): PagedList<Item> {
  const { before_id: before, after_id: _after, ...filters } = (call.query ?? {}) as Record<string, unknown>;
  const pending = transport.json<PageOf<Item>>(call).then(({ data, response }) => {
    const { parameter, cursor } =
      data.next_page === undefined
        ? continuation(data, before === undefined ? "after_id" : "before_id")
        : { parameter: "page", cursor: data.next_page };
    const next = (after: string) =>
      pagedList<Item>(transport, { ...call, query: { ...filters, [parameter]: after } });
    return { data: new Page({ ...data, next_page: cursor }, next), response };
  });
  const first = apiPromise(pending);
  const iterate = async function* () {
    yield* await first;
  };
  return Object.assign(first, { [Symbol.asyncIterator]: iterate });
}

/** Returns the cursor for the next page of a list without `next_page`, in the list's direction. */
function continuation(page: PageOf<unknown>, parameter: "after_id" | "before_id") {
  const end = parameter === "after_id" ? page.last_id : page.first_id;
  return { parameter, cursor: page.has_more ? end : null };
}
