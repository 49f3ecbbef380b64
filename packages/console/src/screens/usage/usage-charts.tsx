import type { UsageGroup, UsageReport } from "@berth/sdk";
import type { ReactNode } from "react";
import { showUnseen } from "../../format/visible-text.ts";
import { DayChart, Swatch } from "./day-chart.tsx";
import { FigureTiles } from "./figure-tiles.tsx";
import { byDay, METRIC_LOOKS, nameOf, TOKEN_KINDS } from "./figures.ts";
import { GroupChoice } from "./group-choice.tsx";
import { daysOf, type Grouping, type Metric } from "./usage-search.ts";

type Props = {
  days: UsageReport;
  groups: UsageReport;
  by: Grouping;
  metric: Metric;
  onGroup: (by: Grouping) => void;
  onMetric: (metric: Metric) => void;
};

export function UsageCharts({ days, groups, by, metric, onGroup, onMetric }: Props) {
  const { label } = METRIC_LOOKS[metric];
  return (
    <>
      <FigureTiles total={days.total} chosen={metric} onChoose={onMetric} />
      <Panel title={`${label} by day`} aside={metric === "tokens" && <Legend />}>
        <DayChart days={byDay(daysOf(days), days.data)} metric={metric} />
      </Panel>
      <Panel title={`${label} by`} aside={<GroupChoice by={by} onGroup={onGroup} />}>
        <Breakdown groups={groups.data} by={groups.group_by} metric={metric} />
      </Panel>
    </>
  );
}

function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="rounded-xl border border-line bg-canvas p-4">
      <div className="mb-4 flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {TOKEN_KINDS.map(({ label, fill }) => (
        <li key={label} className="flex items-center gap-1.5">
          <Swatch fill={fill} /> {label}
        </li>
      ))}
    </ul>
  );
}

/** Groups to draw at most; the table has all of them. */
const MAX_DRAWN = 12;

type BreakdownProps = { groups: readonly UsageGroup[]; by: Grouping; metric: Metric };

/** Shows the largest groups, each with a bar. */
function Breakdown({ groups, by, metric }: BreakdownProps) {
  const { of, text } = METRIC_LOOKS[metric];
  const sorted = groups.toSorted((one, other) => of(other) - of(one));
  const drawn = sorted.slice(0, MAX_DRAWN);
  const rest = sorted.slice(MAX_DRAWN);
  const largest = Math.max(Number.MIN_VALUE, ...drawn.map(of));
  return (
    <ul className="flex flex-col gap-2.5">
      {drawn.map((group) => (
        <li key={group.key} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1">
          <span className="truncate">{showUnseen(nameOf(group, by))}</span>
          <span className="text-muted tabular">{text(of(group))}</span>
          <svg
            viewBox="0 0 100 1"
            preserveAspectRatio="none"
            aria-hidden="true"
            className="col-span-2 h-1.5 w-full"
          >
            <rect width="100" height="1" className="fill-selected" />
            <rect width={(of(group) / largest) * 100} height="1" className="fill-accent" />
          </svg>
        </li>
      ))}
      {rest.length > 0 && <li className="text-faint">and {rest.length} with less, in the table</li>}
    </ul>
  );
}
