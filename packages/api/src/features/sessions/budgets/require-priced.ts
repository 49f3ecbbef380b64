import { type FollowInput, NO_USAGE, type SessionAgent } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { PricedModels } from "../../usage/figures.ts";

/** What says which models an agent's sessions use. */
type PricedAgent = Pick<SessionAgent, "tools"> & { model: { id: string } };

/** What bounds the cost of a session. */
interface Bounds {
  /** Null or undefined for none. */
  budget?: unknown;
  follow?: Pick<FollowInput, "max_list_cost"> | null | undefined;
}

/**
 * Checks that the prices of an agent's models are known as far as bounds need them: a budget all of them, a follow the
 * one that its list cost is of.
 *
 * @param isGiven Whether the request has the bound. If not, its agent is to blame. Default: it has.
 * @throws errors.modelUnpriced
 */
export function requirePriced(
  models: PricedModels,
  agent: PricedAgent,
  { budget, follow }: Bounds,
  isGiven: (bound: keyof Bounds) => boolean = () => true,
): void {
  const unpriced = unpricedModel(models, agent);
  if (unpriced === null) return;
  if (follow?.max_list_cost != null && unpriced === agent.model.id)
    throw errors.modelUnpriced(unpriced, isGiven("follow") ? "follow.max_list_cost" : "agent");
  if (budget != null) throw errors.modelUnpriced(unpriced, isGiven("budget") ? "budget" : "agent");
}

/** Returns the first of an agent's models whose price is not known; null if all are. */
export function unpricedModel(models: PricedModels, { model, tools }: PricedAgent): string | null {
  const others = tools.flatMap((tool) =>
    tool.type === "agent_toolset_20260401"
      ? (tool.configs ?? []).flatMap((config) => config.model ?? [])
      : [],
  );
  return [model.id, ...others].find((id) => models.totalCost(id, NO_USAGE) === null) ?? null;
}
