import { createAiSdkModel } from "../../src/models/ai-sdk/ai-sdk-model.ts";
import type { ProviderKind } from "../../src/models/ai-sdk/provider.ts";
import type { Fetch } from "../../src/models/ai-sdk/transport.ts";
import type { Model } from "../../src/models/model.ts";
import { knownReasoning } from "../../src/models/registry/known-reasoning.ts";
import { USUAL_PRICES } from "../../src/models/token-prices.ts";
import { startAnthropicDouble } from "./anthropic-double.ts";
import { startOpenAIChatDouble } from "./openai-chat-double.ts";
import { startOpenAIResponsesDouble } from "./openai-responses-double.ts";
import type { WireDouble } from "./wire-double.ts";

/** A fake API key in the format of a real one. */
export const apiKey = "sk-double-0123456789abcdef";

export const kinds = ["anthropic", "openai", "openai-compatible"] as const;

const starts = {
  anthropic: startAnthropicDouble,
  openai: startOpenAIResponsesDouble,
  "openai-compatible": startOpenAIChatDouble,
};

const upstreamModels = { anthropic: "claude-opus-5", openai: "gpt-5", "openai-compatible": "qwen3" };

export function startDouble(kind: ProviderKind): Promise<WireDouble> {
  return starts[kind]({ apiKey });
}

interface Changes {
  /** The provider's name for the model. */
  model?: string;
  /** Default: acme. */
  provider?: string;
  key?: string | null;
  headers?: Record<string, string>;
  idleTimeoutMs?: number;
  supportsImages?: boolean;
  supportsDocuments?: boolean;
  maxOutputTokens?: number;
  thinking?: { budget_tokens: number };
  fetch?: Fetch;
}

/** Creates a model of a provider at `baseUrl` whose API is of kind `kind`. */
export function modelAt(baseUrl: string, kind: ProviderKind, changes: Changes = {}): Model {
  const {
    model = upstreamModels[kind],
    provider = "acme",
    key = apiKey,
    headers = {},
    idleTimeoutMs = 120_000,
    ...rest
  } = changes;
  return createAiSdkModel({
    id: `${provider}/${model}`,
    upstreamModel: model,
    provider: {
      ...{ name: provider, kind, baseUrl, headers, idleTimeoutMs },
      cacheLifetimeMs: null,
      hasHourCache: true,
      apiKey: async () => key,
    },
    contextWindow: 200_000,
    prices: USUAL_PRICES,
    maxOutputTokens: 4000,
    reasoning: knownReasoning(kind, model),
    thinking: null,
    supportsImages: true,
    supportsDocuments: true,
    ...rest,
  });
}
