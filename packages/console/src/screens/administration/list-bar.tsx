import type { ReactNode } from "react";
import { SearchField } from "../../shell/search-field.tsx";
import type { TabProps } from "./tab-props.ts";

type Props = Pick<TabProps, "search" | "change"> & {
  placeholder: string;
  /** Further filters. */
  filters?: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
};

/** Shows the filters of a tab's list, and what can be done there. */
export function ListBar({ search, change, placeholder, filters, actions }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2">
      <SearchField
        label="Filter by text"
        placeholder={placeholder}
        value={search.q ?? ""}
        onChange={(q) => change({ q: q === "" ? undefined : q })}
      />
      {filters}
      <span className="ml-auto flex items-center gap-1.5">{actions}</span>
    </div>
  );
}
