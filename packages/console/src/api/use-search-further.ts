import { useEffect } from "react";

/** Of a search without asking. */
const MAX_SEARCHED = 1_000;

type List = {
  items: readonly unknown[];
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => unknown;
};

/** While `wanted`, reads further pages of a list by itself, up to a limit: for what the service does not filter. */
export function useSearchFurther(
  { items, hasNextPage, isFetching, fetchNextPage }: List,
  wanted: boolean,
): void {
  const due = wanted && hasNextPage && !isFetching && items.length < MAX_SEARCHED;
  useEffect(() => {
    if (due) void fetchNextPage();
  }, [due, fetchNextPage]);
}
