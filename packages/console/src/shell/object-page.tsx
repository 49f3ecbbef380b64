import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyId } from "../ui/copy.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { ApiTab } from "./api-tab.tsx";
import { Loaded, type Query } from "./loaded.tsx";
import { Page } from "./page.tsx";

/** The page that lists all objects of a kind, and its name. */
export type ListPage = { name: string; to: NonNullable<LinkProps["to"]> };

/** A kind of objects, as their pages show them. */
export type ObjectKind<Item, Id extends string> = {
  /** The name of the kind, such as "Agent". */
  title: string;
  list: ListPage;
  nameOf: (item: Item) => string;
  /** A badge that is shown first, besides "Archived". */
  badge?: (item: Item) => ReactNode;
  actions: (item: Item) => ReactNode;
  tabs: (item: Item) => readonly Tab<Id>[];
  /** The calls that read the object. */
  calls: (item: Item) => readonly CallExample[];
};

type Props<Item, Id extends string> = {
  kind: ObjectKind<Item, Id>;
  query: Query<Item>;
  tab: Id | "api";
  onTab: (id: Id | "api") => void;
};

/**
 * Shows the page of an object: its name, its actions, and tabs. The last tab shows the object as the API
 * returns it.
 */
export function ObjectPage<Item extends { id: string; archived_at?: string | null }, Id extends string>({
  kind,
  query,
  tab,
  onTab,
}: Props<Item, Id>) {
  return (
    <Loaded query={query} title={kind.title}>
      {(item) => (
        <Page
          key={item.id}
          title={kind.nameOf(item)}
          heading={<ObjectHeading list={kind.list} name={kind.nameOf(item)} />}
          about={
            <>
              {item.archived_at != null && <Badge>Archived</Badge>}
              {kind.badge?.(item)}
              <CopyId id={item.id} short className="max-md:hidden" />
            </>
          }
          actions={kind.actions(item)}
          fixed
        >
          <Tabs<Id | "api">
            label={kind.title}
            className="min-h-0 flex-1"
            value={tab}
            onChange={onTab}
            tabs={[
              ...kind.tabs(item),
              {
                id: "api",
                label: "JSON and CLI",
                content: () => <ApiTab value={item} calls={kind.calls(item)} />,
              },
            ]}
          />
        </Page>
      )}
    </Loaded>
  );
}

/** Shows the heading of an object's page: a link to its list, and its name. */
export function ObjectHeading({ list, name }: { list: ListPage; name: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link to={list.to} className="shrink-0 font-normal text-faint hover:text-ink max-sm:hidden">
        {list.name}
      </Link>
      <span aria-hidden="true" className="font-normal text-faint max-sm:hidden">
        /
      </span>
      <span className="min-w-0 truncate">{showUnseen(name)}</span>
    </span>
  );
}
