import type { Model } from "@berth/contract";

/** A model that the registry lists. `price` is in US dollars per million tokens. */
interface ListedModel {
  id: string;
  provider: string;
  context_window: number;
  max_output_tokens: number;
  price: Model["price"];
}

interface AvailableModel {
  /** Context window in tokens. */
  contextWindow: number;
  /** See `Model`. */
  hasHourCache?: boolean;
}

/** The part of the model registry that agents need. */
export interface AvailableModels {
  /** Returns the listed models; `get` may know others too. Windows are in tokens. */
  list(): ListedModel[];
  /** Id of the model of agents that name none; null if the installation has no default. */
  readonly defaultModel: string | null;
  /** Returns a model, or null when it is not available. @param options `contextWindow`: maximum in tokens. */
  get(id: string, options?: { contextWindow?: number }): AvailableModel | null;
}
