import type { ModelUsage } from "@berth/contract";

/**
 * The list price of a model. All amounts are picodollars for a token, which are millionths of a dollar for a
 * million tokens: integers, so that sums are exact.
 */
export interface ListPrice {
  /** The day on which the price was looked up, such as `2026-01-31`. */
  date: string;
  /** Ascending by `above`; the first has 0. */
  tiers: readonly [PriceTier, ...PriceTier[]];
}

export interface PriceTier {
  /** The tier applies to requests with more input tokens than this, to all of their tokens. */
  above: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** For an input token that is written to the cache for an hour. */
  cacheWriteHour: number;
}

const PICODOLLARS_PER_NANODOLLAR = 1_000n;
const PICODOLLARS_PER_DOLLAR = 1e12;

/** Returns the cost of one request in nanodollars, rounded up. */
export function listCost(price: ListPrice, usage: ModelUsage): number {
  return nanodollars(picodollars(tierFor(price, inputOf(usage)), usage));
}

/** Returns the cost of many requests in US dollars. All of them are priced as requests with a short prompt. */
export function totalListCost({ tiers: [shortest] }: ListPrice, usage: ModelUsage): number {
  return dollars(picodollars(shortest, usage));
}

/** Returns the cost of one request in US dollars. */
export function listCostInDollars(price: ListPrice, usage: ModelUsage): number {
  return dollars(picodollars(tierFor(price, inputOf(usage)), usage));
}

/**
 * Returns the most that a request can cost, in nanodollars: its input at the dearest price for input, as no
 * response says more tokens than these.
 */
export function worstCost(price: ListPrice, inputTokens: number, outputTokens: number): number {
  return Math.max(
    ...tiersUpTo(price, inputTokens).map((tier) =>
      nanodollars(product(inputTokens, dearestInput(tier)) + product(outputTokens, tier.output)),
    ),
  );
}

/** Returns the most output tokens for which `worstCost` is at most `amount` nanodollars, or `max` if more fit. */
export function affordableOutput(price: ListPrice, inputTokens: number, amount: number, max: number): number {
  const fits = tiersUpTo(price, inputTokens).map((tier) => {
    const left = BigInt(amount) * PICODOLLARS_PER_NANODOLLAR - product(inputTokens, dearestInput(tier));
    if (left < 0n) return -1;
    return tier.output === 0 ? max : Number(left / BigInt(tier.output));
  });
  return Math.min(max, ...fits);
}

/** Returns the tiers that apply to requests of up to so many tokens. */
function tiersUpTo({ tiers }: ListPrice, inputTokens: number): PriceTier[] {
  return tiers.filter(({ above }) => above === 0 || inputTokens > above);
}

function tierFor({ tiers }: ListPrice, inputTokens: number): PriceTier {
  return tiers.findLast(({ above }) => inputTokens > above) ?? tiers[0];
}

function dearestInput({ input, cacheRead, cacheWrite, cacheWriteHour }: PriceTier): number {
  return Math.max(input, cacheRead, cacheWrite, cacheWriteHour);
}

function inputOf(usage: ModelUsage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}

function picodollars(tier: PriceTier, usage: ModelUsage): bigint {
  const hour = usage.cache_creation_1h_input_tokens ?? 0;
  return (
    product(usage.input_tokens, tier.input) +
    product(usage.output_tokens, tier.output) +
    product(usage.cache_read_input_tokens, tier.cacheRead) +
    product(usage.cache_creation_input_tokens - hour, tier.cacheWrite) +
    product(hour, tier.cacheWriteHour)
  );
}

function product(tokens: number, price: number): bigint {
  return BigInt(tokens) * BigInt(price);
}

function nanodollars(picodollars: bigint): number {
  return Number((picodollars + PICODOLLARS_PER_NANODOLLAR - 1n) / PICODOLLARS_PER_NANODOLLAR);
}

function dollars(picodollars: bigint): number {
  return Number(picodollars) / PICODOLLARS_PER_DOLLAR;
}
