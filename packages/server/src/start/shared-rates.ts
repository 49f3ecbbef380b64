import type { OverRate, Rate, RateGroups, Rates } from "@berth/store/limits";
import type { Answer, Given, ProcessCalls } from "../processes/process-calls.ts";

/** What a process asks the one that counts the requests of all. */
export type RateCalls = {
  /** Which of the rates is over, by its place. */
  take(given: Asked & { rates: Rate[]; name: string | undefined }): { index: number; waitMs: number } | null;
  exempt(given: Asked & { name: string }): void;
};

interface Asked {
  group: keyof RateGroups;
}

/** Rates that another process counts, for itself and for this one. */
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

/** Answers what other processes ask. */
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
