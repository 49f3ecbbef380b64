import type { UsageReport } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { formatShort } from "../../format/numbers.ts";
import { type Change, withChange } from "../../format/search.ts";
import { Page } from "../../shell/page.tsx";
import { Problem } from "../../shell/problem.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { useNow } from "../../ui/moment.tsx";
import { downloadBlob } from "../../ui/text-viewer.tsx";
import { byDay } from "./figures.ts";
import { GroupChoice } from "./group-choice.tsx";
import { RangePicker } from "./range-picker.tsx";
import { UsageCharts } from "./usage-charts.tsx";
import { usageCsv } from "./usage-csv.ts";
import { daysOf, type Grouping, rangeOf, type UsageSearch, VIEWS } from "./usage-search.ts";
import { UsageTable } from "./usage-table.tsx";

const route = getRouteApi("/usage");

/** Milliseconds between reads of the report. */
const LIVE_MS = 30_000;

/** Shows the usage of sessions over time and by group. */
export function UsageScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = rangeOf(search, useNow());
  const by = search.by ?? "agent";
  const days = useReport(range, "day");
  const groups = useReport(range, by);
  const change = (part: Change<UsageSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  const error = days.error ?? groups.error;
  const isEmpty = days.data?.data.length === 0;
  return (
    <Page
      title="Usage"
      actions={
        <CallButton calls={[{ operation: operations.usage.get, query: { ...range, group_by: by } }]} />
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <RangePicker
          search={search}
          range={range}
          onChange={(part) => change({ days: undefined, from: undefined, to: undefined, ...part })}
        />
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {groups.data !== undefined && !isEmpty && search.view !== "json" && (
            <DownloadCsv report={groups.data} />
          )}
          <Segments
            label="Shown as"
            value={search.view ?? "chart"}
            choices={VIEWS}
            onChange={(view) => change({ view })}
          />
        </span>
      </div>
      {error !== null && (
        <Problem
          error={error}
          retry={() => {
            void days.refetch();
            void groups.refetch();
          }}
        />
      )}
      {days.data === undefined || groups.data === undefined ? (
        error === null && <Spinner className="m-6 text-faint" />
      ) : search.view === "json" ? (
        <UsageJson report={groups.data} by={by} onGroup={(next) => change({ by: next })} />
      ) : isEmpty ? (
        <Empty icon="chart" title="No usage on these days" command="berth usage">
          Usage shows the turns, tokens and cost of sessions. Choose other days, or start a session: it counts
          from its first turn on.
        </Empty>
      ) : (
        <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 lg:p-6">
          {search.view === "table" ? (
            <UsageTables
              days={days.data}
              groups={groups.data}
              by={by}
              onGroup={(next) => change({ by: next })}
            />
          ) : (
            <UsageCharts
              days={days.data}
              groups={groups.data}
              by={by}
              metric={search.show ?? "cost"}
              onGroup={(next) => change({ by: next })}
              onMetric={(show) => change({ show })}
            />
          )}
          <p className="text-xs text-faint">
            {days.data.total.unpriced_tokens > 0 && (
              <>
                {formatShort(days.data.total.unpriced_tokens)} tokens are of models without a known price, and
                are not included in the cost.{" "}
              </>
            )}
            Days are in UTC. Costs are estimates with today's list prices, not your provider's bill.
            {groups.data.has_more &&
              " Only the 1,000 groups with the most tokens are listed; the total includes all."}
          </p>
        </div>
      )}
    </Page>
  );
}

/** Downloads the table's rows; the file name has the grouping and the days. */
function DownloadCsv({ report }: { report: UsageReport }) {
  const { group_by: by, from, to } = report;
  const save = () =>
    downloadBlob(new Blob([usageCsv(report)], { type: "text/csv" }), `usage-by-${by}-${from}-${to}.csv`);
  return (
    <Button size="small" icon="download" onClick={save}>
      Download CSV
    </Button>
  );
}

function useReport(range: { from: string; to: string }, group_by: Grouping) {
  return useQuery({
    queryKey: ["usage", range, group_by],
    queryFn: ({ signal }) => berth.usage.get({ ...range, group_by }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
}

type JsonProps = { report: UsageReport; by: Grouping; onGroup: (by: Grouping) => void };

/** Shows the report as the API returns it. */
function UsageJson({ report, by, onGroup }: JsonProps) {
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
      <GroupChoice by={by} onGroup={onGroup} />
      <JsonView value={report} />
    </div>
  );
}

type TablesProps = {
  days: UsageReport;
  groups: UsageReport;
  by: Grouping;
  onGroup: (by: Grouping) => void;
};

/** Shows the figures of the charts as tables. */
function UsageTables({ days, groups, by, onGroup }: TablesProps) {
  const { total } = groups;
  const rows = by === "day" ? byDay(daysOf(days), days.data).toReversed() : groups.data;
  return (
    <>
      <GroupChoice by={by} onGroup={onGroup} />
      <div className="overflow-hidden rounded-xl border border-line">
        <UsageTable groups={rows} total={total} by={by} label={`Usage by ${by}`} />
      </div>
    </>
  );
}
