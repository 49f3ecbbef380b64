import type { Run } from "./run.ts";
import {
  breaksOf,
  compactionsOf,
  gapsOf,
  isFourReads,
  isSleeps,
  isSmallRead,
  median90,
  pauseOf,
  type Sum,
  sumOf,
  turnOf,
} from "./sums.ts";

/** Returns the tables of all runs, one for each script, with each contender that completed it. */
export function tokenTables({ short, long, pause, reads }: Record<Run["script"], readonly Run[]>): string {
  return [
    ["An empty session, and the first request of a second one", emptySessions(short)],
    ["The first turn of the short script", firstTurns(short)],
    ["The whole short script, in a window of 200,000 tokens", wholeRuns(short)],
    ["The whole long script, in a window of 100,000 tokens", wholeRuns(long)],
    ["Questions to a loop of its own (Explore)", questions([...short, ...long])],
    ["Compactions", compactions([...short, ...long])],
    ["The pause of six minutes, and prefixes that broke elsewhere", pauses(short)],
    ["A pause of six minutes at 150,000 tokens", pauses(pause)],
    ["From the end of a response to the next request", gaps(short, long)],
    [
      "That after 100 small reads, by the parts that the agent measures: mean, and what 90% were within",
      gapParts(reads),
    ],
  ]
    .map(([title, text]) => `${title}:\n\n${text}`)
    .join("\n\n");
}

function emptySessions(runs: readonly Run[]): string {
  const head = [
    "",
    "system",
    "tools",
    "sum",
    "number of tools",
    "max_tokens",
    "markers",
    "second session read",
  ];
  return rows(head, runs, ({ exchanges, second }) => {
    const first = exchanges.find(({ kind }) => kind === "step");
    const again = second.find(({ kind }) => kind === "step");
    if (first === undefined) return [];
    const { system, tools, toolCount, maxTokens, markers } = first;
    const read = `${whole(again?.charge.read ?? 0)} of ${whole(again?.input ?? 0)}`;
    return [
      system,
      tools,
      system + tools,
      toolCount,
      maxTokens ?? "none",
      markers.join(", ") || "none",
      read,
    ];
  });
}

function firstTurns(runs: readonly Run[]): string {
  const own = runs[0] === undefined ? Number.NaN : sumOf(turnOf(runs[0], 1)).cost;
  const head = ["", "context at its end", "read", "written", "uncached", "cost", "against the first"];
  return rows(head, runs, (run) => {
    const { context, read, written, uncached, cost } = sumOf(turnOf(run, 1));
    return [context, read, written, uncached, cost, `${Math.round((cost / own - 1) * 100)}%`];
  });
}

function wholeRuns(runs: readonly Run[]): string {
  const columns: (keyof Sum)[] = ["requests", "input", "read", "written", "uncached", "output", "cost"];
  return rows(["", ...columns], runs, ({ exchanges }) => {
    const sum = sumOf(exchanges);
    return columns.map((column) => sum[column]);
  });
}

/** The assumed price of a cheaper model for loops, as a share of the agent's. */
const CHEAPER = 1 / 3;

function questions(runs: readonly Run[]): string {
  const head = [
    "",
    "script",
    "questions",
    "requests of the agent",
    "cost of its context",
    "requests of the loops",
    "cost of the loops",
    "cost of all",
    "of all, the loops at a third of the price",
  ];
  const compared = runs.filter((run) =>
    runs.some((other) => other.script === run.script && loopOf(other).length > 0 && isSame(run, other)),
  );
  return rows(head, compared, (run) => {
    const loop = sumOf(loopOf(run));
    const own = sumOf(run.exchanges.filter(({ kind }) => kind !== "explore"));
    const asked = run.exchanges.flatMap(({ step }) => step ?? []).filter((call) => call.do === "ask").length;
    return [
      ...[run.script, asked, own.requests, own.cost, loop.requests, loop.cost, own.cost + loop.cost],
      own.cost + loop.cost * CHEAPER,
    ];
  });
}

function loopOf({ exchanges }: Run) {
  return exchanges.filter(({ kind }) => kind === "explore");
}

/** Whether both runs are of the same agent, with and without Explore. */
function isSame(one: Run, other: Run): boolean {
  return other.contender.name.startsWith(one.contender.name);
}

function compactions(runs: readonly Run[]): string {
  const head = [
    "",
    "script",
    "number",
    "context before",
    "after",
    "cost of the summaries",
    "refused requests",
  ];
  return rows(head, runs, (run) => {
    const { count, before, after, cost, refused } = compactionsOf(run);
    return [run.script, count, before, after, cost, refused];
  });
}

function pauses(runs: readonly Run[]): string {
  const head = [
    "",
    "context before",
    "after",
    "summaries",
    "read",
    "written",
    "uncached",
    "cost of all until the next step has begun",
    "prefixes that broke elsewhere",
  ];
  return rows(head, runs, (run) => {
    const requests = pauseOf(run);
    const { read, written, uncached, cost, context } = sumOf(requests);
    const summaries = requests.filter(({ kind }) => kind === "summary").length;
    return [sumOf(turnOf(run, 1)).context, context, summaries, read, written, uncached, cost, breaksOf(run)];
  });
}

function gaps(short: readonly Run[], long: readonly Run[]): string {
  const head = ["", "after a small read, median", "p90", "four reads", "three times `sleep 1`"];
  return rows(head, short, (run) => {
    const [median, p90] = median90(
      gapsOf(long.find(({ contender }) => contender === run.contender) ?? run, isSmallRead),
    );
    const once = (holds: Parameters<typeof gapsOf>[1]) => gapsOf(run, holds)[0];
    return [median, p90, once(isFourReads), once(isSleeps)].map((value) =>
      value === undefined ? "–" : `${value.toFixed(0)} ms`,
    );
  });
}

/**
 * Returns the parts of gaps. The rest is the time in which the response and the request are in transit,
 * between the agent's and the provider's measurements.
 */
function gapParts(runs: readonly Run[]): string {
  const measured = runs.filter((run) => run.gapParts.length > 0);
  const names = measured[0]?.gapParts.map(({ name }) => name) ?? [];
  return rows(["", ...names, "sum", "seen by the provider"], measured, (run) => {
    const gaps = gapsOf(run, isSmallRead);
    const sum = run.gapParts.reduce((total, { mean }) => total + mean, 0);
    const seen = gaps.reduce((total, gap) => total + gap, 0) / gaps.length;
    const parts = run.gapParts.map(({ mean, within90 }) => `${mean.toFixed(1)} ms, ${within90} ms`);
    return [...parts, `${sum.toFixed(1)} ms`, `${seen.toFixed(1)} ms, ${median90(gaps)[1].toFixed(1)} ms`];
  });
}

function rows(
  head: readonly string[],
  runs: readonly Run[],
  cells: (run: Run) => readonly (number | string)[],
): string {
  const lines = runs.map((run) => [run.contender.name, ...cells(run).map(text)]);
  return [head, head.map(() => "---"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function text(cell: number | string): string {
  return typeof cell === "string" ? cell : whole(cell);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
