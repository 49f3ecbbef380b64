import type { ModelRequest } from "../model.ts";
import { withCacheMarkers } from "./cache-markers.ts";
import { type ImagePlacement, toPrompt } from "./prompt.ts";
import type { Provider, ProviderKind } from "./provider.ts";
import { chatEvents } from "./stream/chat-events.ts";
import type { EventRules } from "./stream/event-rules.ts";
import { messagesEvents } from "./stream/messages-events.ts";
import { responsesEvents } from "./stream/responses-events.ts";
import type { Fetch } from "./transport.ts";
import type { CallOptions, LanguageModel } from "./types.ts";

/** The operator's thinking mode for an Anthropic model. Without it, `effort` decides. */
export type Thinking = "adaptive" | "off" | { budget_tokens: number };

/**
 * The way in which a model takes the agent's effort. For kind `anthropic`: `adaptive` sends it unchanged,
 * `budget` as a share of the output limit. For the other kinds: `effort` sends it unchanged, `none` not at
 * all.
 */
export type Reasoning = "adaptive" | "budget" | "effort" | "none";

/** The settings of a model that a dialect needs. */
export interface DialectModel {
  provider: Pick<Provider, "name">;
  /** The provider's name for the model. */
  upstreamModel: string;
  /** Maximum output tokens, including thinking. */
  maxOutputTokens: number;
  reasoning: Reasoning;
  thinking: Thinking | null;
  supportsImages: boolean;
  supportsDocuments: boolean;
}

/** The differences between kinds of providers. A kind's package is loaded by its first request. */
export interface Dialect {
  open(connection: {
    provider: string;
    baseUrl: string;
    model: string;
    fetch: Fetch;
  }): Promise<LanguageModel>;
  callOptions(request: ModelRequest, model: DialectModel): CallOptions;
  events: EventRules;
  endsWithDone: boolean;
}

/** The AI SDK requires a key and would look for one in the environment. The transport sets the real one. */
const PLACEHOLDER_KEY = "set-by-the-transport";

const anthropic: Dialect = {
  events: messagesEvents,
  endsWithDone: false,
  async open({ baseUrl, model, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: baseUrl, apiKey: PLACEHOLDER_KEY, fetch })(model);
  },
  callOptions(request, model) {
    const options = commonOptions(request, model, model.supportsImages ? "result" : "none");
    const thinking = anthropicThinking(request.effort, model);
    const stated = thinking === null ? {} : { thinking };
    const effort =
      request.effort !== undefined && model.thinking === "adaptive" ? { effort: request.effort } : {};
    const decides = thinking === null && model.reasoning === "adaptive" && request.effort !== undefined;
    const made = {
      ...options,
      // The AI SDK adds the budget to the output limit.
      maxOutputTokens: model.maxOutputTokens - (thinking?.budgetTokens ?? 0),
      ...(decides ? { reasoning: request.effort } : {}),
      // Tool streaming would let incomplete input through in a truncated response, and few compatible servers
      // support it.
      providerOptions: { anthropic: { toolStreaming: false, ...stated, ...effort } },
    };
    return withCacheMarkers(made, request);
  },
};

type AnthropicThinking = {
  type: "disabled" | "adaptive" | "enabled";
  display?: "summarized";
  budgetTokens?: number;
};

/** Returns null when the request does not state a thinking mode; its effort may apply instead. */
function anthropicThinking(
  effort: ModelRequest["effort"],
  { thinking, reasoning, maxOutputTokens }: DialectModel,
): AnthropicThinking | null {
  if (thinking === "off") return { type: "disabled" };
  if (thinking === "adaptive") return { type: "adaptive", display: "summarized" };
  if (thinking !== null) return { type: "enabled", budgetTokens: thinking.budget_tokens };
  if (effort === undefined || reasoning !== "budget") return null;
  const budgetTokens = Math.floor(maxOutputTokens * BUDGET_SHARES[effort]);
  return budgetTokens < MIN_BUDGET_TOKENS ? null : { type: "enabled", budgetTokens };
}

/** Shares of the output limit for thinking; the rest is for the answer. */
const BUDGET_SHARES: Readonly<Record<NonNullable<ModelRequest["effort"]>, number>> = {
  low: 0.15,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.7,
  max: 0.8,
};
/** The API's minimum budget. */
const MIN_BUDGET_TOKENS = 1024;

const openai: Dialect = {
  events: responsesEvents,
  endsWithDone: false,
  async open({ baseUrl, model, fetch }) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ baseURL: baseUrl, apiKey: PLACEHOLDER_KEY, fetch }).responses(model);
  },
  callOptions(request, model) {
    const options = commonOptions(request, model, model.supportsImages ? "result" : "none");
    return {
      ...options,
      // The API's default is strict, which requires every property of a schema to be required.
      ...(options.tools === undefined
        ? {}
        : { tools: options.tools.map((tool) => ({ ...tool, strict: false })) }),
      ...(model.reasoning === "none" ? {} : openaiEffort(request.effort, model.upstreamModel)),
      providerOptions: { openai: openaiOptions(model) },
    };
  },
};

/** Model names for which the AI SDK knows what an OpenAI model accepts. */
const OPENAI_NAME = /^(gpt-\d|o\d)/;

/** Replaces the highest efforts by `high` for models under other names, which may not accept them. */
function openaiEffort(effort: ModelRequest["effort"], name: string) {
  if (effort === undefined) return {};
  const isHighest = effort === "xhigh" || effort === "max";
  return { reasoning: isHighest && !OPENAI_NAME.test(name) ? "high" : effort } as const;
}

/**
 * Returns options with which the provider stores nothing: reasoning is returned encrypted and sent again with
 * the history. The AI SDK guesses from the name whether a model reasons, so it is stated here. It would then
 * use the role `developer`, which servers other than OpenAI's may not know.
 */
function openaiOptions({ reasoning, upstreamModel }: DialectModel) {
  return {
    store: false,
    forceReasoning: reasoning !== "none",
    ...(OPENAI_NAME.test(upstreamModel) ? {} : { systemMessageMode: "system" }),
  };
}

const openaiCompatible: Dialect = {
  events: chatEvents,
  endsWithDone: true,
  async open({ provider, baseUrl, model, fetch }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ name: provider, baseURL: baseUrl, fetch, includeUsage: true })(model);
  },
  callOptions(request, model) {
    const { effort } = request;
    return {
      ...commonOptions(request, model, model.supportsImages ? "message" : "none"),
      // These servers support three levels.
      ...(effort === undefined || model.reasoning === "none"
        ? {}
        : { reasoning: effort === "low" || effort === "medium" ? effort : "high" }),
    };
  },
};

function commonOptions(request: ModelRequest, model: DialectModel, images: ImagePlacement): CallOptions {
  const tools = request.tools.map((tool) => ({
    type: "function" as const,
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));
  return {
    prompt: toPrompt(request, { images, documents: model.supportsDocuments, provider: model.provider.name }),
    maxOutputTokens: model.maxOutputTokens,
    ...(tools.length === 0 ? {} : { tools }),
  };
}

export const DIALECTS: Readonly<Record<ProviderKind, Dialect>> = {
  anthropic,
  openai,
  "openai-compatible": openaiCompatible,
};
