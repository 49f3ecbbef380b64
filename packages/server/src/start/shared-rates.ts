import type { OverRate, Rate, RateGroups, Rates } from "@berth/store/limits";
import type { Answer, Given, ProcessCalls } from "../processes/process-calls.ts";

/** Calls to the process that counts the requests of all processes. */
export type RateCalls = {
  /** Returns the index of a rate that is exceeded, or null. */
  take(given: Asked & { rates: Rate[]; name: string | undefined }): { index: number; waitMs: number } | null;
  exempt(given: Asked & { name: string }): void;
};

interface Asked {
  group: keyof RateGroups;
}

/** Returns rates that another process counts for all processes. */
export function sharedRates(calls: Pick<ProcessCalls<RateCalls>, "call">): RateGroups {
  const of = (group: keyof RateGroups): Rates => ({
    async take<R extends Rate>(rates: readonly R[], name?: string): Promise<OverRate<R> | null> {
      if (rates.length === 0) return null;
      const plain = rates.map(({ id, perSecond, burst }) => ({ id, perSecond, burst }));
      const over = await calls.call("take", { group, rates: plain, name });
      return over === null ? null : { rate: rates[over.index] as R, waitMs: over.waitMs };
    },
    exempt: (name) => calls.call("exempt", { group, name }),
  });
  return { owners: of("owners"), addresses: of("addresses"), codes: of("codes") };
}

/** Returns handlers for the calls of other processes. */
export function rateHandlers(groups: RateGroups) {
  return {
    async take({ group, rates, name }: Given<RateCalls, "take">): Promise<Answer<RateCalls, "take">> {
      const over = await groups[group].take(rates, name);
      return over === null ? null : { index: rates.indexOf(over.rate), waitMs: over.waitMs };
    },
    async exempt({ group, name }: Given<RateCalls, "exempt">): Promise<void> {
      await groups[group].exempt(name);
    },
  };
}
