import type { Provider, ProviderKind } from "../ai-sdk/provider.ts";
import type { Fetch } from "../ai-sdk/transport.ts";
import { type Environment, keyReader } from "./api-key.ts";
import type { KnownModels } from "./known-models.ts";
import type { ModelEntry, ModelsFile, ProviderEntry } from "./models-file.ts";
import { findOllama } from "./ollama.ts";

/** The providers and models of an installation, from the operator's file or detected. */
export interface ModelSources {
  providers: ReadonlyMap<string, Provider>;
  models: readonly ModelEntry[];
}

/** Returns the providers and models of a models file. */
export function configuredSources(file: ModelsFile, environment: Environment): ModelSources {
  const providers = Object.entries(file.providers).map(
    ([name, entry]) => [name, providerOf(name, entry, environment)] as const,
  );
  return { providers: new Map(providers), models: file.models };
}

const DEFAULT_BASE_URLS: Readonly<Record<Exclude<ProviderKind, "openai-compatible">, string>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
};

/** Default variables, only for the provider's own base URL: a key must not be sent to another host. */
const DEFAULT_KEY_VARIABLES = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-compatible": undefined,
} as const;

function providerOf(name: string, entry: ProviderEntry, environment: Environment): Provider {
  const given = entry.api_key_env !== undefined || entry.api_key_file !== undefined;
  const usual = given || entry.base_url !== undefined ? undefined : DEFAULT_KEY_VARIABLES[entry.kind];
  const source = { env: entry.api_key_env ?? usual, file: entry.api_key_file };
  const own = entry.kind === "openai-compatible" ? "" : DEFAULT_BASE_URLS[entry.kind];
  return {
    name,
    kind: entry.kind,
    baseUrl: (entry.base_url ?? own).replace(/\/+$/, ""),
    headers: entry.headers ?? {},
    cacheLifetimeMs: cacheLifetimeMs(entry),
    hasHourCache: entry.hour_cache ?? (entry.kind === "anthropic" && entry.base_url === undefined),
    idleTimeoutMs: (entry.idle_timeout_seconds ?? 120) * 1000,
    apiKey: keyReader(name, source, environment),
  };
}

/** Returns milliseconds, by default five minutes for Anthropic; null without such a cache. */
function cacheLifetimeMs({ kind, cache_seconds }: ProviderEntry): number | null {
  const seconds = cache_seconds ?? (kind === "anthropic" ? 300 : 0);
  return seconds === 0 ? null : seconds * 1_000;
}

/** Detects providers: one for each default key variable that is set, and Ollama if it is running. */
export async function findModelSources(
  environment: Environment,
  known: KnownModels,
  fetch: Fetch,
): Promise<ModelSources> {
  const providers: Provider[] = [];
  const models: ModelEntry[] = [];
  for (const kind of ["anthropic", "openai"] as const) {
    if ((environment[DEFAULT_KEY_VARIABLES[kind]] ?? "").trim() === "") continue;
    providers.push(providerOf(kind, { kind }, environment));
    models.push(...known.names(kind).map((name) => ({ id: `${kind}/${name}` })));
  }
  const ollama = await findOllama(environment.OLLAMA_HOST, fetch);
  if (ollama !== null) {
    const entry = { kind: "openai-compatible" as const, base_url: ollama.baseUrl };
    providers.push(providerOf("ollama", entry, environment));
    models.push(...ollama.models.map((name) => ({ id: `ollama/${name}`, ...ollamaWindow(environment) })));
  }
  return { providers: new Map(providers.map((provider) => [provider.name, provider])), models };
}

/** Returns the context length that Ollama is configured with, since it silently truncates longer prompts. */
function ollamaWindow(environment: Environment): { context_window?: number } {
  const length = Number(environment.OLLAMA_CONTEXT_LENGTH);
  return Number.isInteger(length) && length >= 1024 ? { context_window: length } : {};
}
