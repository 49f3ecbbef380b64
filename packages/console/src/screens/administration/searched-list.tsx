import type { ReactNode } from "react";
import type { useList } from "../../api/use-list.ts";
import { hasText } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { ListBar } from "./list-bar.tsx";
import type { TabProps } from "./tab-props.ts";

type Props<Item> = Pick<TabProps, "search" | "change"> & {
  label: string;
  placeholder: string;
  list: ReturnType<typeof useList<Item>>;
  /** The texts by which an object is found. */
  textsOf: (item: Item) => string[];
  /** Returns the columns, with what opens an object. */
  columns: (onOpen: (item: Item) => void) => Column<Item>[];
  actions?: ReactNode;
  empty: ReactNode;
};

/** Shows the list of a tab, which is filtered by text and opens its objects. */
export function SearchedList<Item extends { id: string }>({ search, change, ...props }: Props<Item>) {
  const { label, placeholder, list, textsOf, columns, actions, empty } = props;
  const open = ({ id }: Item) => change({ open: id });
  return (
    <>
      <ListBar search={search} change={change} placeholder={placeholder} actions={actions} />
      <ObjectList
        label={label}
        list={list}
        shown={list.items.filter((item) => hasText(textsOf(item), search))}
        searching={search.q !== undefined}
        filtered={search.q !== undefined}
        onClear={() => change({ q: undefined })}
        onOpen={open}
        columns={columns(open)}
        empty={empty}
      />
    </>
  );
}
