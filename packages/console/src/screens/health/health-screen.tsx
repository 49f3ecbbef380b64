import type { Health, HealthCheck } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { berth } from "../../api/client.ts";
import { type Change, withChange } from "../../format/search.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { ApiTab } from "../../shell/api-tab.tsx";
import { Loaded } from "../../shell/loaded.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Command } from "../../ui/empty.tsx";
import { FilterToggle } from "../../ui/filter-menu.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Disks } from "./disks.tsx";
import type { HealthSearch } from "./health-search.ts";
import { CHECK_LOOKS, checkName, summaryOf } from "./health-words.ts";
import { Hosts } from "./hosts.tsx";
import { Panel } from "./panel.tsx";
import { SessionStates } from "./session-states.tsx";

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
        label="Health"
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
        On the machine itself, this command also tests the sandbox:
        <Command text="berth doctor" />
      </div>
    </div>
  );
}

type ChecksProps = { checks: readonly HealthCheck[]; onlyFaults: boolean; action: ReactNode };

/** Shows the checks of `berth doctor` that a running service can make, worst first. */
function Checks({ checks, onlyFaults, action }: ChecksProps) {
  const order = ["no", "degraded", "yes"];
  const shown = checks
    .filter(({ state }) => !onlyFaults || state !== "yes")
    .toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  return (
    <Panel title="Checks" action={action} flush>
      <ul className="border-t border-line">
        {shown.map(({ name, state, detail }) => (
          <li
            key={name}
            className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 border-b border-line px-4 py-2.5 last:border-b-0 sm:grid-cols-[4.5rem_9rem_minmax(0,1fr)]"
          >
            <span>
              <Badge tone={CHECK_LOOKS[state].tone}>{CHECK_LOOKS[state].text}</Badge>
            </span>
            <span className="font-medium">{checkName(name)}</span>
            <span className="text-muted wrap-anywhere max-sm:col-span-2">{showUnseen(detail)}</span>
          </li>
        ))}
        {shown.length === 0 && <li className="px-4 py-3 text-muted">Every check passes.</li>}
      </ul>
    </Panel>
  );
}

const LOOKS: Partial<Record<Tone, { icon: IconName; frame: string; mark: string }>> = {
  ok: { icon: "check", frame: "border-line bg-panel", mark: "bg-ok-soft text-ok" },
  warn: { icon: "alert", frame: "border-warn/30 bg-warn-soft", mark: "text-warn" },
  bad: { icon: "alert", frame: "border-bad/30 bg-bad-soft", mark: "text-bad" },
};

/** Shows the overall state of the installation. */
function Summary({ health }: { health: Health }) {
  const { tone, title, about } = summaryOf(health);
  const look = LOOKS[tone];
  return (
    <div role="status" className={cx("flex items-center gap-4 rounded-xl border p-4", look?.frame)}>
      <span className={cx("flex size-10 shrink-0 items-center justify-center rounded-full", look?.mark)}>
        <Icon name={look?.icon ?? "health"} className="size-5" />
      </span>
      <div>
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-muted">{about}</p>
      </div>
    </div>
  );
}
