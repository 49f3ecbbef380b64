import type { ProviderKind } from "../ai-sdk/provider.ts";
import { HOUR_SURCHARGE } from "../cache-ttl.ts";
import type { ListPrice, PriceTier } from "../list-price.ts";

/** Model data from the bundled price tables; no network access. */
export interface KnownModels {
  /** Returns the names of the models that an agent can use, in the order of the tables. */
  names(kind: "anthropic" | "openai"): string[];
  /** Returns the window in tokens, null if unknown. A name newer than the tables matches its predecessor. */
  contextWindow(provider: PricedProvider, model: string): number | null;
  /** Returns the list price of today, or null for an unknown model. */
  price(provider: PricedProvider, model: string): ListPrice | null;
}

/** The day on which the bundled tables, version 0.1.8 of their package, were published. */
export const TABLES_DATE = "2026-09-23";

interface PricedProvider {
  kind: ProviderKind;
  baseUrl: string;
}

/** Retired models. */
const EXCLUDED_ANTHROPIC = /^claude-(2|3|v1|instant)/;
/** Models that cannot call tools or do not produce text. */
const EXCLUDED_OPENAI =
  /audio|realtime|search|transcribe|tts|image|vision|instruct|research|oss|computer|chatgpt|gpt-3|^gpt-4(-|$)/;

/** A price of the tables in US dollars for a million tokens. Above a tier's `start` its price applies. */
type TablePrice = number | { base: number; tiers: { start: number; price: number }[] } | undefined;

/** Loads the tables, which takes about 40 ms. */
export async function loadKnownModels(): Promise<KnownModels> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const found = ({ kind, baseUrl }: PricedProvider, model: string) => {
    const providerId = kind === "openai-compatible" ? findProvider({ providerApiUrl: baseUrl })?.id : kind;
    if (providerId === undefined) return null;
    // Gateways prefix the vendor to the vendor's own name for the model.
    const names = kind === "openai-compatible" ? [model] : [model, model.slice(model.lastIndexOf("/") + 1)];
    for (const name of names) {
      const priced = calcPrice({ input_tokens: 1, output_tokens: 1 }, name, { providerId });
      if (priced !== null) return priced;
    }
    return null;
  };
  return {
    names(kind) {
      const models = findProvider({ providerId: kind })?.models ?? [];
      const usable = kind === "anthropic" ? isAnthropic : isOpenAI;
      return models
        .filter((model) => model.context_window !== undefined && usable(model.id))
        .map(({ id }) => id);
    },
    contextWindow(provider, model) {
      return found(provider, model)?.model.context_window ?? null;
    },
    price(provider, model) {
      const priced = found(provider, model);
      return priced === null ? null : listPrice(priced.model_price);
    },
  };
}

function listPrice(table: Record<string, TablePrice>): ListPrice {
  const starts = Object.entries(table).flatMap(([name, price]) =>
    name.endsWith("_mtok") && typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
  );
  const [first, ...others] = [0, ...new Set(starts)].sort((one, other) => one - other);
  return {
    date: TABLES_DATE,
    tiers: [tierOf(table, first ?? 0), ...others.map((above) => tierOf(table, above))],
  };
}

function tierOf(table: Record<string, TablePrice>, above: number): PriceTier {
  const of = (name: string) => priceAbove(table[name], above);
  const input = of("input_mtok") ?? 0;
  const cacheWrite = of("cache_write_mtok") ?? input;
  return tier(above, {
    input,
    output: of("output_mtok") ?? 0,
    cacheRead: of("cache_read_mtok") ?? input,
    cacheWrite,
    cacheWriteHour: of("cache_write_1h_mtok") ?? cacheWrite * (1 + HOUR_SURCHARGE),
  });
}

function priceAbove(price: TablePrice, above: number): number | undefined {
  if (typeof price !== "object") return price;
  return price.tiers.findLast(({ start }) => start <= above)?.price ?? price.base;
}

/** Converts prices in US dollars for a million tokens, with up to six decimals; others are rounded up. */
export function tier(above: number, dollars: Omit<PriceTier, "above">): PriceTier {
  const picodollars = (price: number) => Math.ceil(Number((price * 1e6).toFixed(3)));
  return {
    above,
    input: picodollars(dollars.input),
    output: picodollars(dollars.output),
    cacheRead: picodollars(dollars.cacheRead),
    cacheWrite: picodollars(dollars.cacheWrite),
    cacheWriteHour: picodollars(dollars.cacheWriteHour),
  };
}

function isAnthropic(name: string): boolean {
  return name.startsWith("claude-") && !EXCLUDED_ANTHROPIC.test(name);
}

function isOpenAI(name: string): boolean {
  return /^(gpt-|o\d|codex)/.test(name) && !EXCLUDED_OPENAI.test(name);
}
