import type { CallRow, Row } from "./view.ts";

/** Calls in a row that are over, as one line; `open` when they stand behind it. */
export type GroupRow = {
  kind: "group";
  id: string;
  at: string;
  turn: number;
  calls: readonly CallRow[];
  open: boolean;
};
export type ShownRow = Row | GroupRow;

/** Fewer calls are seen one by one. */
const LEAST = 5;
/** The newest calls of a turn that goes on are always seen. */
const NEWEST = 3;

/**
 * The rows, with many calls in a row as a group. A group is named after its first call, so that it stays the same while it grows.
 *
 * @param isOpen whether the calls of a group are shown.
 */
export function groupRows(
  rows: readonly Row[],
  working: boolean,
  isOpen: (group: GroupRow) => boolean,
): ShownRow[] {
  const shown: ShownRow[] = [];
  for (let from = 0; from < rows.length; ) {
    let end = from;
    while (end < rows.length && isOver(rows[end])) end += 1;
    const last = working && end === rows.length ? Math.max(from, end - NEWEST) : end;
    shown.push(...grouped(rows.slice(from, last), isOpen), ...rows.slice(last, end + 1));
    from = end + 1;
  }
  return shown;
}

/** A call with its result, or what the model thought between two. */
function isOver(row: Row | undefined): boolean {
  if (row?.kind === "thinking") return true;
  return row?.kind === "call" && row.state !== "running" && row.state !== "waiting";
}

function grouped(run: readonly Row[], isOpen: (group: GroupRow) => boolean): ShownRow[] {
  const calls = run.flatMap((row) => (row.kind === "call" ? [row] : []));
  const [first] = calls;
  if (first === undefined || calls.length < LEAST) return [...run];
  const { at, turn } = first;
  const group: GroupRow = { kind: "group", id: `${first.id} group`, at, turn, calls, open: false };
  return isOpen(group) ? [{ ...group, open: true }, ...run] : [group];
}

/** Whether an event is a call of the group, or belongs to one. */
export function isInGroup({ calls }: GroupRow, event: string): boolean {
  return calls.some((call) => [call.id, call.result?.id, call.confirmation?.id].includes(event));
}

/** What the calls of a group are, the most frequent first: `8 Bash, 3 Read`. */
export function groupWords({ calls }: GroupRow): { tools: string; failed: number } {
  const counts = new Map<string, number>();
  for (const { use } of calls) counts.set(use.name, (counts.get(use.name) ?? 0) + 1);
  const tools = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`);
  const failed = calls.filter(({ state }) => state === "failed" || state === "denied").length;
  return { tools: tools.join(", "), failed };
}
