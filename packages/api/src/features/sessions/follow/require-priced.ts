import { type FollowInput, NO_USAGE } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { PricedModels } from "../../usage/figures.ts";

/** @throws errors.modelUnpriced for a bound on the cost of a model whose price is not known */
export function requirePriced(
  models: PricedModels,
  model: string,
  follow: FollowInput | null | undefined,
): void {
  if (follow?.max_list_cost == null || models.totalCost(model, NO_USAGE) !== null) return;
  throw errors.modelUnpriced(model, "follow.max_list_cost");
}
