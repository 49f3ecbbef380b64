import { type Figure, format, median } from "../figure.ts";
import { type Heat, SESSIONS } from "./heat.ts";
import type { Racer } from "./racer.ts";

/** A racer with its heats, and the reason if it did not finish one. */
export interface Result {
  racer: Racer;
  heats: readonly Heat[];
  reason: string | null;
}

const ROWS: readonly [name: string, what: string, unit: Figure["unit"]][] = [
  ["first start", "start to ready, empty store", "ms"],
  ["start", "start to ready, again", "ms"],
  ["memory", "memory at rest", "MiB"],
  ["create 8", "create a session, 8 callers", "/s"],
  ["CPU of create 8", "CPU of each", "µs"],
  ["create 64", "create a session, 64 callers", "/s"],
  ["CPU of create 64", "CPU of each", "µs"],
  ["list", `list of 20 of ${SESSIONS}, 16 callers`, "/s"],
  ["CPU of list", "CPU of each", "µs"],
  ["echoed", "POST of a message → the message in the stream", "ms"],
  ["began", "POST of a message → first event of the loop", "ms"],
  ["ended", "POST of a message → end of the turn", "ms"],
];

/**
 * Returns a table of the heats' medians, a column for each racer; in parentheses the ratio of the first
 * racer's median to it.
 */
export function raceTable(results: readonly Result[]): string {
  const [own] = results;
  const finished = results.filter(({ heats }) => heats.length > 0);
  const rows = ROWS.map(([name, what, unit]) => {
    const best = median(valuesOf(own, name));
    return [
      what,
      ...finished.map((result) => cell(result, { name, unit, own: result === own ? null : best })),
    ];
  });
  const head = ["", ...finished.map(({ racer }) => racer.name)];
  const durable = ["durable", ...finished.map(({ racer }) => racer.durable)];
  const lines = [head, head.map(() => "---"), durable, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const missing = results.flatMap(({ racer, reason }) =>
    reason === null ? [] : [`- ${racer.name}: ${reason}`],
  );
  return [...lines, ...(missing.length > 0 ? ["", ...missing] : [])].join("\n");
}

function cell(result: Result, row: { name: string; unit: Figure["unit"]; own: number | null }): string {
  const value = median(valuesOf(result, row.name));
  if (Number.isNaN(value)) return "–";
  const text = format(value, row.unit);
  return row.own === null ? text : `${text} (${(row.own / value).toFixed(2)})`;
}

function valuesOf(result: Result | undefined, name: string): number[] {
  return result?.heats.flatMap((heat) => heat.get(name) ?? []) ?? [];
}
