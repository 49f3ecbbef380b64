import type { Operation, PagedList } from "@berth/sdk";
import { Link, type LinkProps, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useList } from "../api/use-list.ts";
import { withChange } from "../format/search.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CallButton } from "../ui/call-button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useNow } from "../ui/moment.tsx";
import type { Column } from "../ui/table.tsx";
import { ListFilters } from "./list-filters.tsx";
import { hasText, LIVE_MS, type ListSearch, listQueryOf } from "./list-search.ts";
import { ObjectList } from "./object-list.tsx";
import { objectPath } from "./object-paths.ts";
import { Page } from "./page.tsx";

type ListQuery = ReturnType<typeof listQueryOf> & { limit: number };

/** A kind of objects, as a list shows them. */
export type ListKind<Item> = {
  title: string;
  /** The first part of the query keys, the noun of the API. */
  noun: string;
  icon: IconName;
  /** The operation that lists the objects. */
  operation: Operation;
  load: (query: ListQuery) => PagedList<Item>;
  /** Returns the texts of an object that the search looks in. */
  words: (item: Item) => readonly (string | null)[];
  /** What the search looks in, in words. Default: name or id. */
  placeholder?: string;
  columns: readonly Column<Item>[];
  /** Shown when there is no object: what such objects are for, and a command that creates one. */
  empty: { title: string; about: string; command: string };
};

/** The way to create an object: the page of a form, or an action. */
type Create = { label: string } & (
  | { to: NonNullable<LinkProps["to"]> }
  /** `first` is the label in an empty list; the same by default. */
  | { icon: IconName; first?: string; onAdd: () => void }
);

type Props<Item> = {
  kind: ListKind<Item>;
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  create: Create;
  /** Dialogs over the list. */
  children?: ReactNode;
};

/**
 * Shows all objects of a kind that the user may see, newest first, with the filters that all such lists
 * share.
 */
export function ListScreen<Item extends { id: string }>(props: Props<Item>) {
  const { kind, search, onSearch, create, children } = props;
  const { title, icon, placeholder, empty } = kind;
  const navigate = useNavigate();
  const searching = search.q !== undefined;
  const query = { ...listQueryOf(search, useNow()), limit: searching ? 100 : 50 };
  const list = useList([kind.noun, "list", query], () => kind.load(query), { live: LIVE_MS });
  const clear = () => onSearch({});
  return (
    <Page
      title={title}
      actions={
        <>
          <CallButton calls={[{ operation: kind.operation, query }]} />
          <CreateButton create={create} />
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
        shown={list.items.filter((item) => hasText(kind.words(item), search))}
        searching={searching}
        filtered={Object.keys(search).length > 0}
        onClear={clear}
        // The kind is only known at run time, so the router's types cannot check the path.
        onOpen={({ id }) => void navigate({ to: objectPath(id) as "/" })}
        columns={kind.columns}
        empty={
          <Empty
            icon={icon}
            title={empty.title}
            command={empty.command}
            action={<CreateButton create={create} isFirst />}
          >
            {empty.about}
          </Empty>
        }
      />
      {children}
    </Page>
  );
}

function CreateButton({ create, isFirst = false }: { create: Create; isFirst?: boolean }) {
  if ("to" in create)
    return (
      <Link to={create.to} className={buttonClass("primary", isFirst ? "medium" : "small")}>
        {!isFirst && <Icon name="plus" />} {create.label}
      </Link>
    );
  const { label, first = label, icon, onAdd } = create;
  return (
    <Button look="primary" size={isFirst ? "medium" : "small"} icon={icon} onClick={onAdd}>
      {isFirst ? first : label}
    </Button>
  );
}
