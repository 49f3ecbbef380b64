import type { AnthropicProvider } from "@ai-sdk/anthropic";

/** The provider-level interface of the AI SDK, derived from one provider to avoid a further dependency. */
export type LanguageModel = ReturnType<AnthropicProvider["languageModel"]>;
export type CallOptions = Parameters<LanguageModel["doStream"]>[0];
export type Prompt = CallOptions["prompt"];
export type PromptMessage = Prompt[number];
export type ProviderOptions = NonNullable<CallOptions["providerOptions"]>;
type Streamed = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];
export type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;
export type FinishPart = Extract<StreamPart, { type: "finish" }>;
