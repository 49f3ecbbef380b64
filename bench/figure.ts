/** One measured thing beside its named peer, from one run. */
export interface Figure {
  what: string;
  peer: string;
  /** Milliseconds, requests a second, or MiB, as `unit` says. */
  value: number;
  peerValue: number;
  unit: "ms" | "/s" | "MiB";
  /** How the spread was: the 95th percentile of the value, where there is one. */
  p95?: number;
  /** What it may be at most, or with `/s` has to be at least, in the same unit. */
  limit?: number;
  note?: string;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Milliseconds that each of `count` runs took, one after another. */
export async function times(count: number, run: (index: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    const begun = performance.now();
    await run(index);
    taken.push(performance.now() - begun);
  }
  return taken;
}

/** Runs a second with `callers` at once. */
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

/** A Markdown table of figures; `ratio` is value over peer. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    show(figure.value, figure.unit),
    figure.p95 === undefined ? "" : show(figure.p95, figure.unit),
    figure.peer,
    show(figure.peerValue, figure.unit),
    (figure.value / figure.peerValue).toFixed(2),
    figure.limit === undefined ? "" : `${figure.limit} ${figure.unit}`,
    figure.note ?? "",
  ]);
  const head = ["what", "median", "p95", "beside", "its median", "ratio", "limit", "note"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function show(value: number, unit: Figure["unit"]): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}
