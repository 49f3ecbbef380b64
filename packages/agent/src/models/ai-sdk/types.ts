import type { AnthropicProvider } from "@ai-sdk/anthropic";

/** The provider-level interface that all AI SDK providers share, taken from one of them: no provider of its own to depend on. */
export type LanguageModel = ReturnType<AnthropicProvider["languageModel"]>;
export type CallOptions = Parameters<LanguageModel["doStream"]>[0];
export type Prompt = CallOptions["prompt"];
export type PromptMessage = Prompt[number];
export type ProviderOptions = NonNullable<CallOptions["providerOptions"]>;
type Streamed = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];
export type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;
export type FinishPart = Extract<StreamPart, { type: "finish" }>;
