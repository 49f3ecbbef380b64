import type { ReactNode } from "react";
import type { Change } from "../format/search.ts";
import { Button } from "../ui/button.tsx";
import { FilterMenu } from "../ui/filter-menu.tsx";
import { filterBarClass } from "./filter-bar-class.ts";
import { type ListSearch, SINCE_CHOICES, type Since } from "./list-search.ts";
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
        single
        label="Created"
        choices={SINCE_CHOICES}
        chosen={search.since === undefined ? [] : [search.since]}
        onChange={([since]) => onChange({ since: since as Since | undefined })}
      />
      {archives && (
        <Button
          size="small"
          look={search.archived ? "secondary" : "quiet"}
          icon="archive"
          aria-pressed={search.archived ?? false}
          onClick={() => onChange({ archived: search.archived ? undefined : true })}
        >
          Archived
        </Button>
      )}
      {Object.keys(search).length > 0 && (
        <Button size="small" look="quiet" icon="cross" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}
