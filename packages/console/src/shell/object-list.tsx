import type { ReactNode } from "react";
import type { useList } from "../api/use-list.ts";
import { useSearchFurther } from "../api/use-search-further.ts";
import { formatCount } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Table } from "../ui/table.tsx";
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
  onClear: () => void;
  onOpen: (item: Item) => void;
  head: ReactNode;
  line: (item: Item, place: { index: number; marked: boolean }) => ReactNode;
  /** Shown when there is no item at all. */
  empty: ReactNode;
};

/** Shows a list of objects, with its keys and its empty states. */
export function ObjectList<Item>(props: Props<Item>) {
  const { list, shown, searching, filtered } = props;
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
        <Table label={props.label} head={props.head}>
          {shown.map((item, index) => props.line(item, { index, marked: index === marked }))}
        </Table>
      )}
      {none &&
        (filtered ? (
          <Empty
            icon="filter"
            title="Nothing fits"
            action={<Button onClick={props.onClear}>Clear the filters</Button>}
          >
            Change the filters, or look at all of them.
          </Empty>
        ) : (
          props.empty
        ))}
      {list.hasNextPage && (
        <div className="flex items-center justify-center gap-3 p-4 text-faint">
          {searching && <span>Searched the newest {formatCount(list.items.length)}.</span>}
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {searching ? "Search further" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}
