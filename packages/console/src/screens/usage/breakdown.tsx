import type { UsageGroup } from "@berth/sdk";
import { showUnseen } from "../../format/visible-text.ts";
import { METRIC_LOOKS, nameOf } from "./figures.ts";
import type { Grouping, Metric } from "./usage-search.ts";

/** Groups to draw at most; the table has all of them. */
const MAX_DRAWN = 12;

type Props = { groups: readonly UsageGroup[]; by: Grouping; metric: Metric };

/** Shows the largest groups, each with a bar. */
export function Breakdown({ groups, by, metric }: Props) {
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
