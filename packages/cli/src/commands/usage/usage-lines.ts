import type { UsageFigures, UsageGroup, UsageReport } from "@berth/sdk";
import { paletteFor, widthLimitOf } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { count, dollars, duration, percent } from "../../terminal/quantities.ts";
import { fittedTable } from "../../terminal/table.ts";

const FIGURES = [
  ...["SESSIONS", "TURNS", "ACTIVE", "INPUT", "CACHE READ", "CACHE WRITE", "FROM CACHE", "OUTPUT", "COST"],
];

/** Formats a report's groups as a table, with the total as its last row. Returns no lines for none. */
export function usageLines({ data, total, group_by, has_more }: UsageReport): string[] {
  if (data.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const naming = namingColumns(group_by);
  const rows = [
    ...data.map((group) => [...naming.map((column) => plainLine(column.of(group))), ...figures(group)]),
    [...naming.map((_, at) => (at === 0 ? "total" : "")), ...figures(total)],
  ];
  const [head = [], ...aligned] = alignedRight(
    [[...naming.map(({ head }) => head), ...FIGURES], ...rows],
    naming.length,
  );
  const table = fittedTable(head, aligned, {
    shrinks: [0],
    columns: widthLimitOf(process.stdout),
    styleHead: dim,
  });
  return [...table, ...notes(total, has_more)];
}

interface NamingColumn {
  head: string;
  of(group: UsageGroup): string;
}

/** Returns the columns that name a group. Days and models are their own names. */
function namingColumns(group_by: UsageReport["group_by"]): NamingColumn[] {
  const key: NamingColumn["of"] = (group) => group.key ?? "-";
  if (group_by === "day" || group_by === "model") return [{ head: group_by.toUpperCase(), of: key }];
  return [
    { head: group_by.toUpperCase(), of: ({ name, key }) => name ?? (key === null ? "erased" : "-") },
    { head: "ID", of: key },
  ];
}

function figures({
  sessions,
  turns,
  active_seconds,
  usage,
  cached_input_share,
  ...rest
}: UsageFigures): string[] {
  return [
    ...[count(sessions), count(turns), duration(active_seconds)],
    ...[usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens].map(count),
    ...[percent(cached_input_share), count(usage.output_tokens)],
    cost({ usage, ...rest }),
  ];
}

/** Formats a cost. An asterisk marks that some tokens have no known price; `-` means that none has. */
function cost({
  usage,
  list_cost_usd,
  unpriced_tokens,
}: Pick<UsageFigures, "usage" | "list_cost_usd" | "unpriced_tokens">): string {
  if (unpriced_tokens === 0) return dollars(list_cost_usd);
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  const all = input_tokens + output_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return unpriced_tokens === all ? "-" : `${dollars(list_cost_usd)}*`;
}

function alignedRight(rows: readonly string[][], from: number): string[][] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, at) => (at < from ? cell : cell.padStart(widths[at] ?? 0))));
}

function notes({ unpriced_tokens }: UsageFigures, has_more: boolean): string[] {
  return [
    ...(unpriced_tokens === 0
      ? []
      : [`* without ${count(unpriced_tokens)} tokens of models whose price is unknown`]),
    ...(has_more ? ["There are more: these have the most tokens. The total has all."] : []),
  ];
}
