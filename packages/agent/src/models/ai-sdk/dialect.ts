import type { ModelRequest } from "../model.ts";
import { withCacheMarkers } from "./cache-markers.ts";
import { type ImagePlacement, toPrompt } from "./prompt.ts";
import type { ProviderKind } from "./provider.ts";
import { chatEvents } from "./stream/chat-events.ts";
import type { EventRules } from "./stream/event-rules.ts";
import { messagesEvents } from "./stream/messages-events.ts";
import { responsesEvents } from "./stream/responses-events.ts";
import type { Fetch } from "./transport.ts";
import type { CallOptions, LanguageModel } from "./types.ts";

/** The operator's thinking mode for an Anthropic model. Without it, `effort` decides. */
export type Thinking = "adaptive" | "off" | { budget_tokens: number };

/** A model, as a dialect needs it. */
export interface DialectModel {
  /** The provider's name for the model. */
  upstreamModel: string;
  maxOutputTokens: number;
  thinking: Thinking | null;
  supportsImages: boolean;
  supportsDocuments: boolean;
}

/** What differs between kinds of providers. Its package is loaded by the first request, to save start-up time. */
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
    const thinking = anthropicThinking(model.thinking);
    return withCacheMarkers({
      ...options,
      maxOutputTokens: model.maxOutputTokens - budgetOf(model.thinking),
      ...(request.effort === undefined || model.thinking === "adaptive" ? {} : { reasoning: request.effort }),
      providerOptions: {
        anthropic: {
          // Off: it would let incomplete input through in a truncated response, and few compatible servers support it.
          toolStreaming: false,
          ...(thinking === null ? {} : { thinking }),
          ...(request.effort !== undefined && model.thinking === "adaptive"
            ? { effort: request.effort }
            : {}),
        },
      },
    });
  },
};

function anthropicThinking(thinking: Thinking | null) {
  if (thinking === null) return null;
  if (thinking === "off") return { type: "disabled" };
  if (thinking === "adaptive") return { type: "adaptive", display: "summarized" };
  return { type: "enabled", budgetTokens: thinking.budget_tokens };
}

/** The AI SDK adds the budget to the output limit. */
function budgetOf(thinking: Thinking | null): number {
  return typeof thinking === "object" && thinking !== null ? thinking.budget_tokens : 0;
}

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
      ...(request.effort === undefined ? {} : { reasoning: request.effort }),
      // Nothing is stored at the provider: reasoning is returned encrypted and sent again with the history.
      providerOptions: { openai: { store: false } },
    };
  },
};

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
      ...(effort === undefined
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
    prompt: toPrompt(request, { images, documents: model.supportsDocuments }),
    maxOutputTokens: model.maxOutputTokens,
    ...(tools.length === 0 ? {} : { tools }),
  };
}

export const DIALECTS: Readonly<Record<ProviderKind, Dialect>> = {
  anthropic,
  openai,
  "openai-compatible": openaiCompatible,
};
