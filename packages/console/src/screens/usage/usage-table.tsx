import type { UsageFigures, UsageGroup } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { formatCount, formatDollars, formatShare } from "../../format/numbers.ts";
import { formatSeconds } from "../../format/time.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Cell, HeadCell, Table } from "../../ui/table.tsx";
import { nameOf } from "./figures.ts";
import type { Grouping } from "./usage-search.ts";

type Props = { groups: readonly UsageGroup[]; total: UsageFigures; by: Grouping; label: string };

/** Shows all figures of a report. */
export function UsageTable({ groups, total, by, label }: Props) {
  const figures = (one: UsageFigures) => [
    formatDollars(one.list_cost_usd),
    formatCount(one.sessions),
    formatCount(one.turns),
    formatSeconds(one.active_seconds),
    formatCount(one.usage.input_tokens),
    formatCount(one.usage.cache_read_input_tokens),
    formatCount(one.usage.cache_creation_input_tokens),
    formatShare(one.cached_input_share),
    formatCount(one.usage.output_tokens),
  ];
  return (
    <Table
      label={label}
      head={
        <>
          <HeadCell className="pl-4 capitalize">{by}</HeadCell>
          {HEADINGS.map((heading) => (
            <HeadCell key={heading} align="right" className="last:pr-4">
              {heading}
            </HeadCell>
          ))}
        </>
      }
    >
      {groups.map((group) => (
        <tr key={group.key} className="hover:bg-hover">
          <Cell className="h-8 max-w-72 truncate pl-4">
            <GroupName group={group} by={by} />
          </Cell>
          {figures(group).map((text, index) => (
            <Cell key={HEADINGS[index]} align="right" className="h-8 whitespace-nowrap last:pr-4">
              {text}
            </Cell>
          ))}
        </tr>
      ))}
      <tr className="font-semibold">
        <Cell className="h-9 bg-panel pl-4">Total</Cell>
        {figures(total).map((text, index) => (
          <Cell key={HEADINGS[index]} align="right" className="h-9 bg-panel whitespace-nowrap last:pr-4">
            {text}
          </Cell>
        ))}
      </tr>
    </Table>
  );
}

const HEADINGS = [
  ...["Cost", "Sessions", "Turns", "Active"],
  ...["Input", "Cache read", "Cache write", "From cache", "Output"],
];

/** Shows a group's name. It links to the sessions of the group if the list can be filtered by it. */
function GroupName({ group, by }: { group: UsageGroup; by: Grouping }) {
  const name = showUnseen(nameOf(group, by));
  const { key } = group;
  const search =
    key === null
      ? null
      : by === "agent"
        ? { agent: key }
        : by === "environment"
          ? { environment: key }
          : by === "user"
            ? { owner: key }
            : null;
  if (search === null) return name;
  return (
    <Link to="/sessions" search={search} className="hover:underline" title="Its sessions">
      {name}
    </Link>
  );
}
