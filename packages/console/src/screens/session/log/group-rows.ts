import type { CallRow, Row } from "./view.ts";

/** Consecutive finished calls on one line. `open` when the calls are listed after it. */
export type GroupRow = {
  kind: "group";
  id: string;
  at: string;
  turn: number;
  calls: readonly CallRow[];
  open: boolean;
};
export type ShownRow = Row | GroupRow;

/** The fewest calls that are grouped. */
const LEAST = 5;
/** The newest calls of a running turn, which are never grouped. */
const NEWEST = 3;

/**
 * Returns the rows with many consecutive calls as a group. A group's id is that of its first call, so that it
 * stays the same while the group grows.
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

/** Whether a row can be in a group: a finished call, or thinking between two. */
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

/** Returns the group's tools, the most frequent first, as in `8 Bash, 3 Read`, and its failed calls. */
export function groupWords({ calls }: GroupRow): { tools: string; failed: number } {
  const counts = new Map<string, number>();
  for (const { use } of calls) counts.set(use.name, (counts.get(use.name) ?? 0) + 1);
  const tools = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`);
  const failed = calls.filter(({ state }) => state === "failed" || state === "denied").length;
  return { tools: tools.join(", "), failed };
}
