import type { Health } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { type Change, withChange } from "../../format/search.ts";
import { ApiTab } from "../../shell/api-tab.tsx";
import { Loaded } from "../../shell/loaded.tsx";
import { Page } from "../../shell/page.tsx";
import { Command } from "../../ui/empty.tsx";
import { FilterToggle } from "../../ui/filter-menu.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Checks } from "./checks.tsx";
import { Disks } from "./disks.tsx";
import type { HealthSearch } from "./health-search.ts";
import { Hosts } from "./hosts.tsx";
import { SessionStates } from "./session-states.tsx";
import { Summary } from "./summary.tsx";

const route = getRouteApi("/health");

/** Milliseconds between reads of the page. */
const LIVE_MS = 5_000;

/** Shows the state of the installation, for administrators. */
export function HealthScreen() {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => berth.health.get({ signal }),
    refetchInterval: ({ state }) => (state.data === undefined ? false : LIVE_MS),
  });
  return (
    <Loaded query={health} title="Health">
      {(found) => <HealthPage health={found} />}
    </Loaded>
  );
}

function HealthPage({ health }: { health: Health }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Change<HealthSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  return (
    <Page title="Health" about={<span className="text-faint">Berth {health.version}</span>} fixed>
      <Tabs
        label="Parts of the page"
        className="flex-1"
        value={search.tab ?? "overview"}
        onChange={(tab) => change({ tab: tab === "overview" ? undefined : tab })}
        tabs={[
          {
            id: "overview",
            label: "Overview",
            content: () => (
              <div className="h-full overflow-y-auto">
                <Overview
                  health={health}
                  onlyFaults={search.faults ?? false}
                  onFaults={(faults) => change({ faults: faults ? true : undefined })}
                />
              </div>
            ),
          },
          {
            id: "api",
            label: "JSON and CLI",
            content: () => (
              <div className="h-full overflow-y-auto">
                <ApiTab value={health} calls={[{ operation: operations.health.get }]} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

type OverviewProps = { health: Health; onlyFaults: boolean; onFaults: (only: boolean) => void };

function Overview({ health, onlyFaults, onFaults }: OverviewProps) {
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 lg:p-6">
      <Summary health={health} />
      <div className="grid gap-6 lg:grid-cols-2">
        <SessionStates sessions={health.sessions} />
        <Disks health={health} />
      </div>
      <Hosts hosts={health.hosts} />
      <Checks
        checks={health.checks}
        onlyFaults={onlyFaults}
        action={
          <FilterToggle
            label="Only problems"
            icon="filter"
            on={onlyFaults}
            onChange={(on) => onFaults(on ?? false)}
          />
        }
      />
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-faint [&>div]:mt-0">
        On the machine itself, this also tries the sandbox with its escapes:
        <Command text="berth doctor" />
      </div>
    </div>
  );
}
