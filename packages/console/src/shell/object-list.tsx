import type { ReactNode } from "react";
import type { useList } from "../api/use-list.ts";
import { useSearchFurther } from "../api/use-search-further.ts";
import { formatCount } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { type Column, ColumnTable } from "../ui/table.tsx";
import { Problem } from "./problem.tsx";
import { useListKeys } from "./use-list-keys.ts";

/** Matching items to find before the search stops loading pages. */
const PAGE = 50;

type Props<Item> = {
  label: string;
  list: ReturnType<typeof useList<Item>>;
  /** The items that match the client-side filter. */
  shown: readonly Item[];
  /** Whether a client-side filter is set, so that more pages are loaded. */
  searching: boolean;
  /** Whether any filter is set. */
  filtered: boolean;
  /** Clears the filters. */
  onClear?: () => void;
  onOpen: (item: Item) => void;
  columns: readonly Column<Item>[];
  /** Shown when there is no item at all. */
  empty: ReactNode;
  /** Shown when no item fits the filters. Default: a button that clears them. */
  nothing?: ReactNode;
};

/** Shows a list of objects, with its keys and its empty states. */
export function ObjectList<Item extends { id: string }>(props: Props<Item>) {
  const { list, shown, searching, filtered, nothing = <NothingFits onClear={props.onClear} /> } = props;
  useSearchFurther(list, searching && shown.length < PAGE);
  const marked = useListKeys(shown.length, (index) => {
    const item = shown[index];
    if (item !== undefined) props.onOpen(item);
  });
  const none = list.isSuccess && shown.length === 0 && !list.isFetchingNextPage;
  return (
    <>
      {list.error !== null &&
        (list.items.length === 0 ? (
          <Problem error={list.error} retry={() => void list.refetch()} />
        ) : (
          <ErrorBox error={list.error} retry={() => void list.refetch()} className="m-4" />
        ))}
      {shown.length > 0 && (
        <ColumnTable label={props.label} columns={props.columns} items={shown} marked={marked} />
      )}
      {none && (filtered ? nothing : props.empty)}
      {list.hasNextPage && (
        <div className="flex items-center justify-center gap-3 p-4 text-faint">
          {searching && <span>Searched the newest {formatCount(list.items.length)}.</span>}
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {searching ? "Search older ones" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}

function NothingFits({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <Empty icon="filter" title="No matches" action={<Button onClick={onClear}>Clear filters</Button>}>
      Change or clear the filters.
    </Empty>
  );
}
