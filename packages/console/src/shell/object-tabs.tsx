import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyId } from "../ui/copy.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { ApiTab, ObjectHeading } from "./object-page.tsx";
import { Page } from "./page.tsx";

type Props<Id extends string> = {
  /** The kind of object, such as "Agent". */
  noun: string;
  name: string;
  /** The object as the API returns it. */
  value: { id: string; archived_at?: string | null };
  /** The page that lists all objects of the kind, and its name. */
  list: { name: string; to: NonNullable<LinkProps["to"]> };
  /** A badge that is shown first, besides "Archived". */
  badge?: ReactNode;
  actions: ReactNode;
  tab: Id | "api";
  onTab: (id: Id | "api") => void;
  tabs: readonly Tab<Id>[];
  /** The calls that read the object. */
  calls: readonly CallExample[];
};

/** Shows the page of an object, in tabs. The last tab shows the object as the API returns it. */
export function ObjectTabs<Id extends string>(props: Props<Id>) {
  const { noun, name, value, list, badge, actions, tab, onTab, tabs, calls } = props;
  const api = { label: "JSON and CLI", content: () => <ApiTab value={value} calls={calls} /> };
  return (
    <Page
      title={name}
      heading={<ObjectHeading list={list.name} to={list.to} name={name} />}
      about={
        <>
          {value.archived_at != null && <Badge>Archived</Badge>}
          {badge}
          <CopyId id={value.id} short className="max-md:hidden" />
        </>
      }
      actions={actions}
      fixed
    >
      <Tabs<Id | "api">
        label={noun}
        className="min-h-0 flex-1"
        value={tab}
        onChange={onTab}
        tabs={[...tabs, { id: "api", ...api }]}
      />
    </Page>
  );
}
