import { useEffect } from "react";

/** The number of items that are loaded for a search automatically. */
const MAX_SEARCHED = 1_000;

type List = {
  items: readonly unknown[];
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => unknown;
};

/** Loads further pages of a list while `wanted`, up to a limit. Used for filters that the service lacks. */
export function useSearchFurther(
  { items, hasNextPage, isFetching, fetchNextPage }: List,
  wanted: boolean,
): void {
  const due = wanted && hasNextPage && !isFetching && items.length < MAX_SEARCHED;
  useEffect(() => {
    if (due) void fetchNextPage();
  }, [due, fetchNextPage]);
}
