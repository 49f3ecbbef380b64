/** A part of the gaps between responses and next requests, in milliseconds. */
export interface GapPart {
  name: string;
  mean: number;
  /** The smallest bucket bound with nine of ten gaps. */
  within90: number;
}

const METRIC = "berth_model_request_gap_seconds";

/** Returns the parts in a metrics text, in order; none if it has no such metric. */
export function gapPartsIn(metrics: string): GapPart[] {
  const samples = [...metrics.matchAll(new RegExp(`^${METRIC}_(\\w+)\\{(.*)\\} (\\S+)$`, "gm"))].map(
    ([, kind, labels = "", value]) => ({ kind, value: Number(value), ...labelsOf(labels) }),
  );
  return [...new Set(samples.map(({ part }) => part))].map((part) => {
    const of = (kind: string) => samples.filter((sample) => sample.part === part && sample.kind === kind);
    const count = of("count")[0]?.value ?? 0;
    const bounds = of("bucket").filter(({ value }) => value >= 0.9 * count);
    return {
      name: part,
      mean: (1_000 * (of("sum")[0]?.value ?? 0)) / count,
      within90: 1_000 * Math.min(...bounds.map(({ le }) => le)),
    };
  });
}

function labelsOf(text: string): { part: string; le: number } {
  const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return { part: label("part"), le: label("le") === "+Inf" ? Number.POSITIVE_INFINITY : Number(label("le")) };
}
