/** A measurement and that of a named peer, from the same run. */
export interface Figure {
  what: string;
  peer: string;
  /**
   * The value in `unit`: milliseconds, microseconds, operations per second, MiB, or tokens of a model. NaN if
   * it was not measured, for the reason in `note`.
   */
  value: number;
  peerValue: number;
  unit: "ms" | "µs" | "/s" | "MiB" | "tokens";
  /** The 95th percentile of the value. */
  p95?: number;
  /** The limit in `unit`: a maximum, or a minimum when the unit is `/s`. */
  limit?: number;
  note?: string;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns the value below which this share of the values lies, from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs `run` `count` times, one after another, and returns the duration of each in milliseconds. */
export async function times(count: number, run: (index: number) => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let index = 0; index < count; index++) {
    const begun = performance.now();
    await run(index);
    durations.push(performance.now() - begun);
  }
  return durations;
}

/**
 * Runs two things in turns, each the first of every second round, so that a change of the machine's speed meets both.
 * Returns the durations of each in milliseconds.
 */
export async function timesInTurns(
  rounds: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<[number[], number[]]> {
  const durations: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const place of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      durations[place].push(...(await times(1, place === 0 ? one : other)));
  return durations;
}

/** Returns how often `run` completes per second with `callers` concurrent callers. */
export async function rate(seconds: number, callers: number, run: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        await run();
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - begun) / 1000);
}

/** Formats figures as a Markdown table. `ratio` is the value divided by the peer's. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    format(figure.value, figure.unit),
    figure.p95 === undefined ? "" : format(figure.p95, figure.unit),
    figure.peer,
    format(figure.peerValue, figure.unit),
    Number.isNaN(figure.value / figure.peerValue) ? "–" : (figure.value / figure.peerValue).toFixed(2),
    figure.limit === undefined ? "" : `${figure.limit} ${figure.unit}`,
    figure.note ?? "",
  ]);
  const head = ["what", "median", "p95", "compared with", "its median", "ratio", "limit", "note"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function format(value: number, unit: Figure["unit"]): string {
  if (Number.isNaN(value)) return "–";
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}
