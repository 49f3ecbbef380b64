import type { OverRate, Rate, RateGroups, Rates } from "./rates.ts";

/**
 * Rates of one of several services: each lets through its part, so that all together keep to the rate wherever requests arrive.
 * A burst has at least one request at each.
 *
 * @param services how many services take requests now, itself among them.
 */
export function splitRates(groups: RateGroups, services: () => number): RateGroups {
  const of = (rates: Rates): Rates => ({
    async take<R extends Rate>(whole: readonly R[], name?: string): Promise<OverRate<R> | null> {
      const parts = whole.map((rate) => partOf(rate, services()));
      const over = await rates.take(parts, name);
      return over === null ? null : { ...over, rate: over.rate.whole };
    },
    exempt: (name) => rates.exempt(name),
  });
  return { owners: of(groups.owners), addresses: of(groups.addresses), codes: of(groups.codes) };
}

function partOf<R extends Rate>(whole: R, services: number): Rate & { whole: R } {
  const { id, perSecond, burst } = whole;
  return { id, perSecond: perSecond / services, burst: Math.max(1, burst / services), whole };
}
