import type { ModelUsage } from "@berth/contract";
import { createAiSdkModel } from "../ai-sdk/ai-sdk-model.ts";
import type { Reasoning } from "../ai-sdk/dialect.ts";
import type { Provider, ProviderKind } from "../ai-sdk/provider.ts";
import type { Fetch } from "../ai-sdk/transport.ts";
import { HOUR_SURCHARGE } from "../cache-ttl.ts";
import { type ListPrice, listCostInDollars, totalListCost } from "../list-price.ts";
import type { Model } from "../model.ts";
import { createRehearsalModel, REHEARSAL } from "../rehearsal/rehearsal-model.ts";
import { type TokenPrices, USUAL_PRICES } from "../token-prices.ts";
import type { Environment } from "./api-key.ts";
import { type KnownModels, loadKnownModels, TABLES_DATE, tier } from "./known-models.ts";
import { knownReasoning } from "./known-reasoning.ts";
import { configuredSources, findModelSources, type ModelSources } from "./model-sources.ts";
import { type ModelEntry, readModelsFile } from "./models-file.ts";

/** A model as the API lists it. */
export interface ModelInfo {
  /** `provider/model`. */
  id: string;
  provider: string;
  /** Tokens of input and output together. */
  context_window: number;
  max_output_tokens: number;
  /** The list price; null when neither the models file nor the tables have it. */
  price: ModelPrice | null;
}

/** US dollars for a million tokens of a request with a short prompt. */
export interface ModelPrice {
  /** Uncached. */
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  /** The day on which the price was looked up. */
  date: string;
}

/** The models that this installation can use. */
export interface ModelRegistry {
  /** Returns the configured or detected models. `get` also accepts other models of these providers. */
  list(): ModelInfo[];
  /**
   * Returns a model of a configured provider, whether listed or not; null for any other id. `contextWindow`
   * reduces the window, or sets it if it is unknown.
   */
  get(id: string, options?: { contextWindow?: number }): Model | null;
  /** Returns the cost of these tokens in US dollars, by the list price; null when that is unknown. */
  cost(id: string, usage: ModelUsage): number | null;
  /**
   * Returns the cost of many requests together, as `cost` does. Models that charge more for long prompts are
   * priced as for short ones.
   */
  totalCost(id: string, usage: ModelUsage): number | null;
  /** Id of the models file's default, for agents without a model; null if it has none. */
  readonly defaultModel: string | null;
}

export interface ModelRegistryOptions {
  /**
   * Path of the operator's models file. With it nothing is detected; without it, models are detected by the
   * keys in the environment.
   */
  file?: string;
  /** Keys are read from this object at each request, so a rotated key is used at once. */
  environment: Environment;
  /** The built-in model, which is always available. Default: `rehearsal/steps` with its default options. */
  rehearsal?: Model;
  /** Default: the global fetch. */
  fetch?: Fetch;
  /** Returns the proxy's host for a URL, for error messages; null for none. Default: none. */
  proxyOf?: (url: URL) => string | null;
  /** Receives messages for the operator. They contain no secrets. */
  log?: (message: string) => void;
}

/** Reads the models file or detects models. Throws `ModelsFileError` with every error of the file. */
export async function createModelRegistry(options: ModelRegistryOptions): Promise<ModelRegistry> {
  const known = await loadKnownModels();
  const sources =
    options.file === undefined
      ? await findModelSources(options.environment, known, options.fetch ?? globalThis.fetch)
      : configuredSources(await readModelsFile(options.file), options.environment);
  const rehearsal = withPrice(options.rehearsal ?? createRehearsalModel(), sources);
  const log = oncePerMessage(options.log ?? (() => {}));
  for (const provider of sources.providers.values())
    await provider.apiKey().catch((error: Error) => log(error.message));
  const priceOf = (id: string): ListPrice | null => {
    if (id === rehearsal.id) return rehearsal.listPrice;
    const found = findModel(id, sources, known);
    return found && knownPrice(id, found, known);
  };

  return {
    defaultModel: sources.models.find((entry) => entry.default === true)?.id ?? null,
    list() {
      const infos = sources.models.flatMap((entry) => {
        if (entry.id === REHEARSAL) return [];
        const found = findModel(entry.id, sources, known);
        if (found === null) return [];
        return [infoOf(entry.id, found.provider.name, found.limits, knownPrice(entry.id, found, known))];
      });
      const limits = { contextWindow: rehearsal.contextWindow, maxOutputTokens: rehearsal.maxOutputTokens };
      return [...infos, infoOf(rehearsal.id, "rehearsal", limits, rehearsal.listPrice)];
    },
    cost(id, usage) {
      const price = priceOf(id);
      return price && listCostInDollars(price, usage);
    },
    totalCost(id, usage) {
      const price = priceOf(id);
      return price && totalListCost(price, usage);
    },
    get(id, { contextWindow } = {}) {
      if (id === rehearsal.id) return withWindow(rehearsal, contextWindow);
      const found = findModel(id, sources, known, contextWindow);
      if (found === null) return null;
      if (found.limits.assumed) log(assumption(id, found.limits.contextWindow));
      const listPrice = knownPrice(id, found, known);
      return createAiSdkModel({
        id,
        provider: found.provider,
        upstreamModel: upstreamName(id, found.entry),
        contextWindow: found.limits.contextWindow,
        maxOutputTokens: found.limits.maxOutputTokens,
        prices: (listPrice && tokenPrices(listPrice)) ?? USUAL_PRICES,
        listPrice,
        reasoning: reasoningOf(id, found),
        thinking: found.entry.thinking ?? null,
        supportsImages: found.entry.images ?? found.provider.kind !== "openai-compatible",
        supportsDocuments: found.entry.documents ?? found.provider.kind !== "openai-compatible",
        ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
        ...(options.proxyOf === undefined ? {} : { proxyOf: options.proxyOf }),
      });
    },
  };
}

interface Found {
  provider: Provider;
  entry: ModelEntry;
  limits: Limits;
}

interface Limits {
  contextWindow: number;
  maxOutputTokens: number;
  /** Whether the context window is unknown, and this is a default. */
  assumed?: boolean;
}

function findModel(id: string, sources: ModelSources, known: KnownModels, wanted?: number): Found | null {
  const slash = id.indexOf("/");
  const provider =
    slash < 1 || slash === id.length - 1 ? undefined : sources.providers.get(id.slice(0, slash));
  if (provider === undefined) return null;
  const entry = sources.models.find((listed) => listed.id === id) ?? { id };
  return { provider, entry, limits: limitsOf(entry, provider, known, wanted) };
}

/** Tokens, for models that neither the file nor the price tables have. */
const ASSUMED_CONTEXT_WINDOWS: Readonly<Record<ProviderKind, number>> = {
  anthropic: 200_000,
  openai: 128_000,
  "openai-compatible": 32_768,
};

function limitsOf(
  entry: ModelEntry,
  provider: Provider,
  known: KnownModels,
  wanted: number | undefined,
): Limits {
  const stated = entry.context_window ?? known.contextWindow(provider, upstreamName(entry.id, entry));
  const max = stated ?? wanted ?? ASSUMED_CONTEXT_WINDOWS[provider.kind];
  const contextWindow = Math.min(max, wanted ?? max);
  return {
    contextWindow,
    maxOutputTokens: Math.min(entry.max_output_tokens ?? defaultMaxOutput(contextWindow), contextWindow - 1),
    assumed: stated === null && wanted === undefined,
  };
}

/** Returns an eighth of the window, at most 32,000: it leaves room for input and fits providers' limits. */
function defaultMaxOutput(contextWindow: number): number {
  return Math.min(32_000, Math.floor(contextWindow / 8));
}

function reasoningOf(id: string, { entry, provider }: Found): Reasoning {
  if (entry.reasoning !== undefined) return entry.reasoning ? "effort" : "none";
  return knownReasoning(provider.kind, upstreamName(id, entry));
}

/** Returns the price in the models file, or else that of the tables. */
function knownPrice(id: string, { entry, provider }: Found, known: KnownModels): ListPrice | null {
  return filePrice(entry) ?? known.price(provider, upstreamName(id, entry));
}

function filePrice({ price }: ModelEntry): ListPrice | null {
  if (price === undefined) return null;
  const { date, input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = price;
  return {
    date,
    tiers: [
      tier(0, { input, output, cacheRead, cacheWrite, cacheWriteHour: cacheWrite * (1 + HOUR_SURCHARGE) }),
    ],
  };
}

/** Returns prices of cached and output tokens relative to input; null for a free model. */
function tokenPrices({ tiers: [price] }: ListPrice): TokenPrices | null {
  const { input, output, cacheRead, cacheWrite } = price;
  if (input === 0) return null;
  return { cacheRead: cacheRead / input, cacheWrite: cacheWrite / input, output: output / input };
}

const FREE = tier(0, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 });

/** Returns the rehearsal model with its price: that of the models file, or else none. */
function withPrice(rehearsal: Model, { models }: ModelSources): Model & { listPrice: ListPrice } {
  const entry = models.find(({ id }) => id === REHEARSAL);
  return { ...rehearsal, listPrice: (entry && filePrice(entry)) ?? { date: TABLES_DATE, tiers: [FREE] } };
}

function upstreamName(id: string, entry: ModelEntry): string {
  return entry.upstream_model ?? id.slice(id.indexOf("/") + 1);
}

function infoOf(id: string, provider: string, limits: Limits, price: ListPrice | null): ModelInfo {
  const { contextWindow, maxOutputTokens } = limits;
  return {
    id,
    provider,
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    price: price && modelPrice(price),
  };
}

function modelPrice({ date, tiers: [{ input, output, cacheRead, cacheWrite }] }: ListPrice): ModelPrice {
  return {
    input: input / 1e6,
    output: output / 1e6,
    cache_read: cacheRead / 1e6,
    cache_write: cacheWrite / 1e6,
    date,
  };
}

function withWindow(model: Model, wanted: number | undefined): Model {
  if (wanted === undefined) return model;
  const contextWindow = Math.min(wanted, model.contextWindow);
  return {
    id: model.id,
    contextWindow,
    maxOutputTokens: Math.min(model.maxOutputTokens, defaultMaxOutput(contextWindow)),
    ...(model.prices === undefined ? {} : { prices: model.prices }),
    ...(model.listPrice === undefined ? {} : { listPrice: model.listPrice }),
    stream: (...given) => model.stream(...given),
  };
}

function assumption(id: string, contextWindow: number): string {
  return `Unknown context window of ${id}; ${contextWindow} tokens are assumed. Set context_window in the models file.`;
}

function oncePerMessage(log: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    log(message);
  };
}
