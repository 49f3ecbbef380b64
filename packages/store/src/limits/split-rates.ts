import type { OverRate, Rate, RateGroups, Rates } from "./rates.ts";

/**
 * Returns the rates of one of several services. Each lets through its share, so that all together keep to the
 * rate wherever requests arrive. A burst is at least one request in each.
 * @param services Returns the number of services that take requests, including this one.
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
