import { createAiSdkModel } from "../ai-sdk/ai-sdk-model.ts";
import type { Provider, ProviderKind } from "../ai-sdk/provider.ts";
import type { Fetch } from "../ai-sdk/transport.ts";
import type { Model } from "../model.ts";
import { createRehearsalModel } from "../rehearsal/rehearsal-model.ts";
import type { Environment } from "./api-key.ts";
import { type KnownModels, loadKnownModels } from "./known-models.ts";
import { configuredSources, findModelSources, type ModelSources } from "./model-sources.ts";
import { type ModelEntry, readModelsFile } from "./models-file.ts";

export interface ModelInfo {
  /** `provider/model`. */
  id: string;
  provider: string;
  /** Tokens of input and output together. */
  context_window: number;
  max_output_tokens: number;
}

/** The models that this installation can use. */
export interface ModelRegistry {
  /** Those that are listed or were found; `get` knows more of a provider's models than these. */
  list(): ModelInfo[];
  /**
   * A model of a provider that is configured, listed or not; null for any other id. `contextWindow` makes the window
   * smaller, or sets it where nothing else tells it.
   */
  get(id: string, options?: { contextWindow?: number }): Model | null;
  /** The id that the operator's file marks as the default. */
  readonly defaultModel: string | null;
}

export interface ModelRegistryOptions {
  /** The operator's models file, the authority where there is one. Without it, models are found by keys in the environment. */
  file?: string;
  /** Read again for keys at each request, so a live object sees rotated keys. */
  environment: Environment;
  /** The built-in model, always there under its own id. Default: `rehearsal/steps` as it is. */
  rehearsal?: Model;
  /** Default: the global one. */
  fetch?: Fetch;
  /** Gets a sentence for each thing that an operator may want to know. Never a secret. */
  log?: (message: string) => void;
}

/** Reads the models file, or looks around. Throws `ModelsFileError` with every fault of the file. */
export async function createModelRegistry(options: ModelRegistryOptions): Promise<ModelRegistry> {
  const known = await loadKnownModels();
  const sources =
    options.file === undefined
      ? await findModelSources(options.environment, known, options.fetch ?? globalThis.fetch)
      : configuredSources(await readModelsFile(options.file), options.environment);
  const rehearsal = options.rehearsal ?? createRehearsalModel();
  const log = oncePerMessage(options.log ?? (() => {}));
  for (const provider of sources.providers.values())
    await provider.apiKey().catch((error: Error) => log(error.message));

  return {
    defaultModel: sources.models.find((entry) => entry.default === true)?.id ?? null,
    list() {
      const infos = sources.models.flatMap((entry) => {
        const found = findModel(entry.id, sources, known);
        return found === null ? [] : [infoOf(entry.id, found.provider.name, found.limits)];
      });
      const limits = { contextWindow: rehearsal.contextWindow, maxOutputTokens: rehearsal.maxOutputTokens };
      return [...infos, infoOf(rehearsal.id, "rehearsal", limits)];
    },
    get(id, { contextWindow } = {}) {
      if (id === rehearsal.id) return withWindow(rehearsal, contextWindow);
      const found = findModel(id, sources, known, contextWindow);
      if (found === null) return null;
      if (found.limits.assumed) log(assumption(id, found.limits.contextWindow));
      return createAiSdkModel({
        id,
        provider: found.provider,
        upstreamModel: upstreamName(id, found.entry),
        contextWindow: found.limits.contextWindow,
        maxOutputTokens: found.limits.maxOutputTokens,
        thinking: found.entry.thinking ?? null,
        supportsImages: found.entry.images ?? found.provider.kind !== "openai-compatible",
        supportsDocuments: found.entry.documents ?? found.provider.kind !== "openai-compatible",
        ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
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
  /** Nothing told the window. */
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

/** Where neither the file nor the price tables tell. */
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
  const told = entry.context_window ?? known.contextWindow(provider, upstreamName(entry.id, entry));
  const most = told ?? wanted ?? ASSUMED_CONTEXT_WINDOWS[provider.kind];
  const contextWindow = Math.min(most, wanted ?? most);
  return {
    contextWindow,
    maxOutputTokens: Math.min(entry.max_output_tokens ?? defaultMaxOutput(contextWindow), contextWindow - 1),
    assumed: told === null && wanted === undefined,
  };
}

/** One eighth of the window, 32,000 at most: it leaves room for the input and is within what providers allow. */
function defaultMaxOutput(contextWindow: number): number {
  return Math.min(32_000, Math.floor(contextWindow / 8));
}

function upstreamName(id: string, entry: ModelEntry): string {
  return entry.upstream_model ?? id.slice(id.indexOf("/") + 1);
}

function infoOf(id: string, provider: string, limits: Limits): ModelInfo {
  return { id, provider, context_window: limits.contextWindow, max_output_tokens: limits.maxOutputTokens };
}

function withWindow(model: Model, wanted: number | undefined): Model {
  if (wanted === undefined) return model;
  const contextWindow = Math.min(wanted, model.contextWindow);
  return {
    id: model.id,
    contextWindow,
    maxOutputTokens: Math.min(model.maxOutputTokens, defaultMaxOutput(contextWindow)),
    stream: (request, signal) => model.stream(request, signal),
  };
}

function assumption(id: string, contextWindow: number): string {
  return `Nothing tells the context window of ${id}; ${contextWindow} tokens are assumed. Set its context_window in the models file.`;
}

function oncePerMessage(log: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    log(message);
  };
}
