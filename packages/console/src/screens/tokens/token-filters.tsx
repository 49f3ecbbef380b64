import type { Token, Whoami } from "@berth/sdk";
import { useOwnerNames } from "../../api/queries/owners.ts";
import type { Change } from "../../format/search.ts";
import { SearchField } from "../../shell/search-field.tsx";
import { ClearFilters, FilterMenu, FilterToggle } from "../../ui/filter-menu.tsx";
import { filtersOf, KIND_CHOICES, type TokenSearch } from "./token-search.ts";

type Props = {
  search: TokenSearch;
  tokens: readonly Token[];
  me: Whoami | undefined;
  change: (part: Change<TokenSearch>) => void;
  onClear: () => void;
};

/** Shows the filters of the list of tokens. */
export function TokenFilters({ search, tokens, me, change, onClear }: Props) {
  const ownerName = useOwnerNames(tokens.map(({ owner_id }) => owner_id));
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2">
      <SearchField
        label="Filter by text"
        placeholder="Name, scope or id"
        value={search.q ?? ""}
        onChange={(q) => change({ q: q === "" ? undefined : q })}
      />
      <FilterMenu
        label="Kind"
        choices={KIND_CHOICES}
        chosen={search.kind}
        onChange={(kind) => change({ kind })}
      />
      <FilterMenu
        label="Owner"
        choices={ownerChoices(tokens, me?.principal.id, ownerName)}
        chosen={search.owner}
        onChange={(owner) => change({ owner })}
      />
      <FilterToggle
        label="Revoked and expired"
        icon="clock"
        on={search.ended}
        onChange={(ended) => change({ ended })}
      />
      <ClearFilters filters={filtersOf(search)} onClear={onClear} />
    </div>
  );
}

function ownerChoices(
  tokens: readonly Token[],
  own: string | undefined,
  nameOf: (id: string) => string | null,
) {
  const owners = new Map(tokens.map(({ owner_id, owner_type }) => [owner_id, owner_type]));
  return [...owners].map(([id, type]) => ({
    value: id,
    label: id === own ? "Me" : type === "organization" ? "The organization" : (nameOf(id) ?? id),
  }));
}
