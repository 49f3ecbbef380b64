import type { Page, PagedList } from "@berth/sdk";
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

type Options = {
  enabled?: boolean;
  /** Milliseconds between reads of the loaded pages, while the page is visible. */
  live?: number;
};

/** Returns a list of the API, page by page. `first` requests the first page. */
export function useList<Item>(queryKey: QueryKey, first: () => PagedList<Item>, options: Options = {}) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }): Promise<Page<Item>> => {
      if (pageParam === null) return await first();
      return (await pageParam.nextPage()) ?? pageParam;
    },
    initialPageParam: null as Page<Item> | null,
    getNextPageParam: (page) => (page.has_more ? page : null),
    enabled: options.enabled ?? true,
    refetchInterval: options.live ?? false,
    structuralSharing: false,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  return { ...query, items };
}
