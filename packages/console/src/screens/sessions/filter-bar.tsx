import { useQuery } from "@tanstack/react-query";
import { agentChoices, environmentChoices } from "../../api/queries/choices.ts";
import { deploymentChoices } from "../../api/queries/deployments.ts";
import { useOwnerNames } from "../../api/queries/owners.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { type Change, withChange } from "../../format/search.ts";
import { filterBarClass } from "../../shell/filter-bar-class.ts";
import { SINCE_CHOICES } from "../../shell/list-search.ts";
import { SearchField } from "../../shell/search-field.tsx";
import { ClearFilters, FilterMenu, FilterToggle } from "../../ui/filter-menu.tsx";
import { MAX_SEARCH, type SessionFilters, STATE_CHOICES } from "./session-filters.ts";

type Props = {
  filters: SessionFilters;
  owners: readonly string[];
  onChange: (filters: SessionFilters) => void;
};

export function FilterBar({ filters, owners, onChange }: Props) {
  const { data: agents = [] } = useQuery(agentChoices);
  const { data: environments = [] } = useQuery(environmentChoices);
  const { data: deployments = [] } = useQuery(deploymentChoices);
  const { data: me } = useQuery(whoamiQuery);
  const ownerName = useOwnerNames(owners);
  const own = me?.principal.id;
  const set = (change: Change<SessionFilters>) => onChange(withChange(filters, change));
  const people = [...new Set([...(own === undefined ? [] : [own]), ...owners])];
  return (
    <div className={filterBarClass}>
      <SearchField
        label="Search"
        placeholder="Title, repository or words"
        maxLength={MAX_SEARCH}
        value={filters.q ?? ""}
        onChange={(q) => set({ q: q === "" ? undefined : q })}
      />
      <FilterMenu
        label="State"
        choices={STATE_CHOICES}
        chosen={filters.state}
        onChange={(state) => set({ state })}
      />
      <FilterMenu
        label="Agent"
        choices={agents.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={filters.agent}
        onChange={(agent) => set({ agent })}
      />
      <FilterMenu
        label="Environment"
        choices={environments.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={filters.environment}
        onChange={(environment) => set({ environment })}
      />
      {(deployments.length > 0 || filters.deployment !== undefined) && (
        <FilterMenu
          label="Deployment"
          choices={deployments.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={filters.deployment}
          onChange={(deployment) => set({ deployment })}
        />
      )}
      <FilterMenu
        label="Owner"
        choices={people.map((id) => ({ value: id, label: id === own ? "Me" : (ownerName(id) ?? id) }))}
        chosen={filters.owner}
        onChange={(owner) => set({ owner })}
      />
      <FilterMenu
        label="Active"
        choices={SINCE_CHOICES}
        chosen={filters.since}
        onChange={(since) => set({ since })}
      />
      <FilterToggle
        label="Archived"
        icon="archive"
        on={filters.archived}
        onChange={(archived) => set({ archived })}
      />
      <FilterToggle
        label="Shared with me"
        icon="user"
        on={filters.shared}
        onChange={(shared) => set({ shared })}
      />
      <FilterToggle
        label="Not seen"
        icon="eyeOff"
        on={filters.unseen}
        onChange={(unseen) => set({ unseen })}
      />
      <ClearFilters filters={filters} onClear={() => onChange({})} />
    </div>
  );
}
