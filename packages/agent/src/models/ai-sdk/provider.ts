/** How to speak to a provider: Anthropic Messages, OpenAI Responses, or Chat Completions as Ollama and vLLM serve them. */
export type ProviderKind = "anthropic" | "openai" | "openai-compatible";

/** A provider that this installation can reach. */
export interface Provider {
  /** The part of a model's id before the first slash. */
  name: string;
  kind: ProviderKind;
  /** With the version, without a slash at the end: `https://api.anthropic.com/v1`. */
  baseUrl: string;
  /** Sent with every request; as secret as the key. */
  headers: Readonly<Record<string, string>>;
  /** How long it may send nothing at all, pings included, before a request counts as failed. */
  idleTimeoutMs: number;
  /** Read again for each request, so that a rotated key is taken at once. Null where none is needed; throws `ModelError` when it is missing. */
  apiKey: () => Promise<string | null>;
}
