/** A provider's API: Anthropic Messages, OpenAI Responses, or Chat Completions as of Ollama and vLLM. */
export type ProviderKind = "anthropic" | "openai" | "openai-compatible";

/** A provider that this installation is configured to use. */
export interface Provider {
  /** The part of a model id before the first slash. */
  name: string;
  kind: ProviderKind;
  /** The base URL with the version, without a trailing slash, such as `https://api.anthropic.com/v1`. */
  baseUrl: string;
  /** Headers of every request; as secret as the key. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds without any data, pings included, after which a request fails. */
  idleTimeoutMs: number;
  /** See `Model`. */
  cacheLifetimeMs: number | null;
  /** See `Model`. */
  hasHourCache: boolean;
  /**
   * Returns the key. It is called for each request, so that a rotated key is used at once. Returns null when
   * none is needed; throws `ModelError` when it is missing.
   */
  apiKey: () => Promise<string | null>;
}
