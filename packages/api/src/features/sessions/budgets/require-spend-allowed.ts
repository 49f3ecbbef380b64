import type { SessionAgent } from "@berth/contract";
import type { Owner } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { Limit, OwnerLimits } from "@berth/store/limits";
import type { PricedModels } from "../../usage/figures.ts";
import { unpricedModel } from "./require-priced.ts";
import { spentBy } from "./spend-store.ts";

const NANODOLLARS_PER_CENT = 10_000_000;
const SPEND_LIMITS = ["spend_cents", "spend_cents_per_day"] as const;

/**
 * Checks that a session may be created under the limits of its owners.
 *
 * @throws errors.modelUnpriced when a limit applies, and the price of a model is not known; errors.spendLimitReached
 */
export async function requireSpendAllowed(
  db: Queryable,
  { limits, models }: { limits: OwnerLimits; models: PricedModels },
  owner: Owner,
  agent: Pick<SessionAgent, "model" | "tools">,
): Promise<void> {
  const all = await spendLimits(limits, owner);
  if (all.length === 0) return;
  const unpriced = unpricedModel(models, agent);
  if (unpriced !== null) throw errors.modelUnpriced(unpriced, "agent");
  const reached = await reachedLimit(db, all);
  if (reached !== null) throw errors.spendLimitReached(reached.kind, reached.value, reached.name);
}

type SpendLimit = Limit & { name: (typeof SPEND_LIMITS)[number] };

/** Returns the limits of what the owners of a session may spend. */
async function spendLimits(limits: OwnerLimits, owner: Owner): Promise<SpendLimit[]> {
  const { organization_id: organizationId, owner_type: kind, owner_id: id } = owner;
  const named = SPEND_LIMITS.map(async (name) => {
    const found = await limits.of({ organizationId, kind, id }, name);
    return found.map((limit) => ({ ...limit, name }));
  });
  return (await Promise.all(named)).flat();
}

/** Returns the first limit of which nothing is left; null if there is none. */
async function reachedLimit(db: Queryable, limits: readonly SpendLimit[]): Promise<SpendLimit | null> {
  for (const limit of limits) {
    const spent = await spentBy(db, limit, limit.name === "spend_cents_per_day");
    if (spent >= limit.value * NANODOLLARS_PER_CENT) return limit;
  }
  return null;
}
