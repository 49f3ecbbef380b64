import type { OverRate, Rate, RateGroups, Rates } from "../limits/rates.ts";

/** What a process asks the one that counts the requests of all. */
export type RateCalls = {
  take: {
    given: { group: keyof RateGroups; rates: Rate[]; name: string | undefined };
    /** Which of the rates is over. */
    answer: { index: number; waitMs: number } | null;
  };
  exempt: { given: { group: keyof RateGroups; name: string }; answer: null };
};

type Ask = <Name extends keyof RateCalls>(
  name: Name,
  given: RateCalls[Name]["given"],
) => Promise<RateCalls[Name]["answer"]>;

/** Rates that another process counts, for itself and for this one. */
export function sharedRates(ask: Ask): RateGroups {
  const of = (group: keyof RateGroups): Rates => ({
    async take<R extends Rate>(rates: readonly R[], name?: string): Promise<OverRate<R> | null> {
      if (rates.length === 0) return null;
      const plain = rates.map(({ id, perSecond, burst }) => ({ id, perSecond, burst }));
      const over = await ask("take", { group, rates: plain, name });
      return over === null ? null : { rate: rates[over.index] as R, waitMs: over.waitMs };
    },
    exempt: (name) => ask("exempt", { group, name }),
  });
  return { owners: of("owners"), addresses: of("addresses"), codes: of("codes") };
}

/** Answers what other processes ask. */
export function rateHandlers(groups: RateGroups) {
  return {
    async take({ group, rates, name }: RateCalls["take"]["given"]): Promise<RateCalls["take"]["answer"]> {
      const over = await groups[group].take(rates, name);
      return over === null ? null : { index: rates.indexOf(over.rate), waitMs: over.waitMs };
    },
    async exempt({ group, name }: RateCalls["exempt"]["given"]): Promise<null> {
      await groups[group].exempt(name);
      return null;
    },
  };
}
