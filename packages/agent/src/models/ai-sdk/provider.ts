/** The API of a provider: Anthropic Messages, OpenAI Responses, or Chat Completions as Ollama and vLLM serve them. */
export type ProviderKind = "anthropic" | "openai" | "openai-compatible";

/** A provider that this installation is configured to use. */
export interface Provider {
  /** The part of a model id before the first slash. */
  name: string;
  kind: ProviderKind;
  /** With the version, without a trailing slash: `https://api.anthropic.com/v1`. */
  baseUrl: string;
  /** Sent with every request; as secret as the key. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds without any data, pings included, after which a request fails. */
  idleTimeoutMs: number;
  /** See `Model`. */
  cacheLifetimeMs: number | null;
  /** See `Model`. */
  hasHourCache: boolean;
  /** Called for each request, so that a rotated key is used at once. Null when none is needed; throws `ModelError` when it is missing. */
  apiKey: () => Promise<string | null>;
}
