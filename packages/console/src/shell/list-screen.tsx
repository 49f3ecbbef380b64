import type { Operation, PagedList } from "@berth/sdk";
import type { ReactNode } from "react";
import { useList } from "../api/use-list.ts";
import { withChange } from "../format/search.ts";
import { CallButton } from "../ui/call-button.tsx";
import { useNow } from "../ui/moment.tsx";
import { ListFilters } from "./list-filters.tsx";
import { hasText, LIVE_MS, type ListSearch, listQueryOf } from "./list-search.ts";
import { ObjectList } from "./object-list.tsx";
import { Page } from "./page.tsx";

type Props<Item> = {
  title: string;
  /** The first part of the query keys, the noun of the API. */
  noun: string;
  /** The operation that lists the objects. */
  operation: Operation;
  load: (query: ListQuery) => PagedList<Item>;
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  /** Returns the texts of an object that the search looks in. */
  words: (item: Item) => readonly (string | null)[];
  placeholder?: string;
  /** The button that creates an object. */
  action: ReactNode;
  onOpen: (item: Item) => void;
  head: ReactNode;
  line: (item: Item, place: { index: number; marked: boolean }) => ReactNode;
  empty: ReactNode;
  /** Dialogs over the list. */
  children?: ReactNode;
};

type ListQuery = ReturnType<typeof listQueryOf> & { limit: number };

/**
 * Shows all objects of a kind that the user may see, newest first, with the filters that all such lists
 * share.
 */
export function ListScreen<Item>(props: Props<Item>) {
  const { title, noun, operation, load, search, onSearch, words, placeholder, children } = props;
  const searching = search.q !== undefined;
  const query = { ...listQueryOf(search, useNow()), limit: searching ? 100 : 50 };
  const list = useList([noun, "list", query], () => load(query), { live: LIVE_MS });
  const clear = () => onSearch({});
  return (
    <Page
      title={title}
      actions={
        <>
          <CallButton calls={[{ operation, query }]} />
          {props.action}
        </>
      }
    >
      <ListFilters
        search={search}
        {...(placeholder === undefined ? {} : { placeholder })}
        onChange={(change) => onSearch(withChange(search, change))}
        onClear={clear}
      />
      <ObjectList
        label={title}
        list={list}
        shown={list.items.filter((item) => hasText(words(item), search))}
        searching={searching}
        filtered={Object.keys(search).length > 0}
        onClear={clear}
        onOpen={props.onOpen}
        head={props.head}
        line={props.line}
        empty={props.empty}
      />
      {children}
    </Page>
  );
}
