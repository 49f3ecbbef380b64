import type { UsageReport } from "@berth/sdk";
import { byDay } from "./figures.ts";
import { GroupChoice } from "./group-choice.tsx";
import { daysOf, type Grouping } from "./usage-search.ts";
import { UsageTable } from "./usage-table.tsx";

type Props = {
  days: UsageReport;
  groups: UsageReport;
  by: Grouping;
  onGroup: (by: Grouping) => void;
};

/** Shows the figures of the charts as tables. */
export function UsageTables({ days, groups, by, onGroup }: Props) {
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
