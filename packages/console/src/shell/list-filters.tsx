import type { ReactNode } from "react";
import type { Change } from "../format/search.ts";
import { ClearFilters, FilterMenu, FilterToggle } from "../ui/filter-menu.tsx";
import { filterBarClass } from "./filter-bar-class.ts";
import { type ListSearch, SINCE_CHOICES } from "./list-search.ts";
import { SearchField } from "./search-field.tsx";

type Props = {
  search: ListSearch;
  onChange: (change: Change<ListSearch>) => void;
  onClear: () => void;
  placeholder?: string;
  /** Whether objects of the list can be archived. */
  archives?: boolean;
  /** Further filters. */
  children?: ReactNode;
};

/** Shows the bar of filters above a list of objects. */
export function ListFilters({
  search,
  onChange,
  onClear,
  placeholder = "Name or id",
  archives = true,
  children,
}: Props) {
  return (
    <div className={filterBarClass}>
      <SearchField
        label="Filter by text"
        placeholder={placeholder}
        value={search.q ?? ""}
        onChange={(q) => onChange({ q: q === "" ? undefined : q })}
      />
      {children}
      <FilterMenu
        label="Created"
        choices={SINCE_CHOICES}
        chosen={search.since}
        onChange={(since) => onChange({ since })}
      />
      {archives && (
        <FilterToggle
          label="Archived"
          icon="archive"
          on={search.archived}
          onChange={(archived) => onChange({ archived })}
        />
      )}
      <FilterToggle
        label="Shared with me"
        icon="user"
        on={search.shared}
        onChange={(shared) => onChange({ shared })}
      />
      <ClearFilters filters={search} onClear={onClear} />
    </div>
  );
}
