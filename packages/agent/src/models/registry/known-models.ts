import type { ProviderKind } from "../ai-sdk/provider.ts";

/** Model data from the bundled price tables; no network access. */
export interface KnownModels {
  /** Names of the models that an agent can use, in the order of the tables. */
  names(kind: "anthropic" | "openai"): string[];
  /** Tokens, or null for an unknown model. A name newer than the tables matches its predecessor. */
  contextWindow(provider: PricedProvider, model: string): number | null;
  /** The list price, or null for an unknown model. */
  price(provider: PricedProvider, model: string): ModelPrice | null;
}

/** US dollars for a million tokens that no cache serves. */
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

/** Few enough for the price of short prompts, where long ones have another. */
const PROBED = 1_000;

function perMillion(price: number): number {
  return Number(((price * 1_000_000) / PROBED).toPrecision(6));
}

/** Loads the tables, which takes about 40 ms. */
export async function loadKnownModels(): Promise<KnownModels> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const priced = ({ kind, baseUrl }: PricedProvider, model: string) => {
    const providerId = kind === "openai-compatible" ? findProvider({ providerApiUrl: baseUrl })?.id : kind;
    if (providerId === undefined) return null;
    return calcPrice({ input_tokens: PROBED, output_tokens: PROBED }, model, { providerId });
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
      return priced(provider, model)?.model.context_window ?? null;
    },
    price(provider, model) {
      const found = priced(provider, model);
      return found === null
        ? null
        : { input: perMillion(found.input_price), output: perMillion(found.output_price) };
    },
  };
}

function isAnthropic(name: string): boolean {
  return name.startsWith("claude-") && !EXCLUDED_ANTHROPIC.test(name);
}

function isOpenAI(name: string): boolean {
  return /^(gpt-|o\d|codex)/.test(name) && !EXCLUDED_OPENAI.test(name);
}
