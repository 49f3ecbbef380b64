import type { UsageReport } from "@berth/sdk";
import type { ReactNode } from "react";
import { Breakdown } from "./breakdown.tsx";
import { DayChart, Swatch } from "./day-chart.tsx";
import { FigureTiles } from "./figure-tiles.tsx";
import { byDay, METRIC_LOOKS, TOKEN_KINDS } from "./figures.ts";
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
