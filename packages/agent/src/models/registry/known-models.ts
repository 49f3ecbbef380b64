import { type ModelUsage, NO_USAGE } from "@berth/contract";
import type { ProviderKind } from "../ai-sdk/provider.ts";
import { HOUR_SURCHARGE } from "../cache-ttl.ts";
import type { TokenPrices } from "../token-prices.ts";

/** Model data from the bundled price tables; no network access. */
export interface KnownModels {
  /** Returns the names of the models that an agent can use, in the order of the tables. */
  names(kind: "anthropic" | "openai"): string[];
  /** Returns the window in tokens, null if unknown. A name newer than the tables matches its predecessor. */
  contextWindow(provider: PricedProvider, model: string): number | null;
  /** Returns the list price, or null for an unknown model. */
  price(provider: PricedProvider, model: string): ModelPrice | null;
  /** Returns prices of cached and output tokens relative to input; null for an unknown or free model. */
  tokenPrices(provider: PricedProvider, model: string): TokenPrices | null;
  /** Returns the cost in US dollars by the list price, with cache savings; null for an unknown model. */
  cost(provider: PricedProvider, model: string, usage: ModelUsage): number | null;
  /**
   * Returns the cost of many requests together, as `cost` does. Models that charge more for long prompts are
   * priced as for short ones.
   */
  totalCost(provider: PricedProvider, model: string, usage: ModelUsage): number | null;
}

/** US dollars per million uncached tokens. */
export interface ModelPrice {
  input: number;
  output: number;
}

interface PricedProvider {
  kind: ProviderKind;
  baseUrl: string;
}

/** Retired models. */
const EXCLUDED_ANTHROPIC = /^claude-(2|3|v1|instant)/;
/** Models that cannot call tools or do not produce text. */
const EXCLUDED_OPENAI =
  /audio|realtime|search|transcribe|tts|image|vision|instruct|research|oss|computer|chatgpt|gpt-3|^gpt-4(-|$)/;

/** The usage that the tables take. */
type PricedUsage = {
  /** Input tokens, including cache reads and writes. */
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
};

/** Tokens for price queries: few enough for the price of short prompts, when long ones have another. */
const PROBED = 1_000;

function perMillion(price: number): number {
  return Number(((price * 1_000_000) / PROBED).toPrecision(6));
}

/** Loads the tables, which takes about 40 ms. */
export async function loadKnownModels(): Promise<KnownModels> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const probed = { input_tokens: PROBED, output_tokens: PROBED };
  const priced = ({ kind, baseUrl }: PricedProvider, model: string, usage: PricedUsage = probed) => {
    const providerId = kind === "openai-compatible" ? findProvider({ providerApiUrl: baseUrl })?.id : kind;
    if (providerId === undefined) return null;
    // Gateways prefix the vendor to the vendor's own name for the model.
    const names = kind === "openai-compatible" ? [model] : [model, model.slice(model.lastIndexOf("/") + 1)];
    for (const name of names) {
      const found = calcPrice(usage, name, { providerId });
      if (found !== null) return found;
    }
    return null;
  };
  const cost: KnownModels["cost"] = (provider, model, usage) => {
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
    const found = priced(provider, model, {
      input_tokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
      output_tokens,
      cache_read_tokens: cache_read_input_tokens,
      cache_write_tokens: cache_creation_input_tokens,
    });
    const forHour = usage.cache_creation_1h_input_tokens ?? 0;
    if (found === null || forHour === 0) return found?.total_price ?? null;
    const written = priced(provider, model, {
      ...{ input_tokens: forHour, cache_write_tokens: forHour, output_tokens: 0 },
    });
    return found.total_price + (written?.total_price ?? 0) * HOUR_SURCHARGE;
  };
  return {
    cost,
    totalCost(provider, model, usage) {
      const share = PROBED / Math.max(PROBED, tokensOf(usage));
      const found = cost(provider, model, scaled(usage, share));
      return found === null ? null : found / share;
    },
    names(kind) {
      const models = findProvider({ providerId: kind })?.models ?? [];
      const usable = kind === "anthropic" ? isAnthropic : isOpenAI;
      return models
        .filter((model) => model.context_window !== undefined && usable(model.id))
        .map(({ id }) => id);
    },
    contextWindow(provider, model) {
      return priced(provider, model)?.model.context_window ?? null;
    },
    tokenPrices(provider, model) {
      const of = (tokens: keyof ModelUsage) => cost(provider, model, { ...NO_USAGE, [tokens]: PROBED }) ?? 0;
      const input = of("input_tokens");
      if (input === 0) return null;
      return {
        cacheRead: of("cache_read_input_tokens") / input,
        cacheWrite: of("cache_creation_input_tokens") / input,
        output: of("output_tokens") / input,
      };
    },
    price(provider, model) {
      const found = priced(provider, model);
      return found === null
        ? null
        : { input: perMillion(found.input_price), output: perMillion(found.output_price) };
    },
  };
}

/** Returns the sum of all kinds of tokens. Other fields, such as those of a table row, are ignored. */
function tokensOf(usage: ModelUsage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens
  );
}

function scaled(usage: ModelUsage, by: number): ModelUsage {
  return {
    input_tokens: usage.input_tokens * by,
    output_tokens: usage.output_tokens * by,
    cache_read_input_tokens: usage.cache_read_input_tokens * by,
    cache_creation_input_tokens: usage.cache_creation_input_tokens * by,
    cache_creation_1h_input_tokens: (usage.cache_creation_1h_input_tokens ?? 0) * by,
  };
}

function isAnthropic(name: string): boolean {
  return name.startsWith("claude-") && !EXCLUDED_ANTHROPIC.test(name);
}

function isOpenAI(name: string): boolean {
  return /^(gpt-|o\d|codex)/.test(name) && !EXCLUDED_OPENAI.test(name);
}
