import type { Session } from "@berth/sdk";
import { budgetTyped, formatCents } from "../../../format/money.ts";
import { formatPlural } from "../../../format/numbers.ts";

type Follow = NonNullable<Session["follow"]>;

/** What the service takes without a number. */
const USUAL_ATTEMPTS = "5";

/** The bounds of a follow, as they are typed. */
export type FollowBounds = {
  /** How many times the agent is told something. Empty for the default. */
  attempts: string;
  /** Dollars. Empty for no bound. */
  cost: string;
  conflicts: Follow["conflicts"];
};

export function boundsOf(
  follow: Pick<Follow, "max_attempts" | "max_list_cost" | "conflicts"> | null,
): FollowBounds {
  const { max_attempts, max_list_cost, conflicts } = follow ?? {};
  return {
    attempts: max_attempts === undefined ? "" : `${max_attempts}`,
    cost: max_list_cost == null ? "" : `${Number(max_list_cost.amount) / 100}`,
    conflicts: conflicts ?? "merge",
  };
}

/** Returns bounds in words, such as `At most 5 messages, $2.50`. */
export function boundsWords({ attempts, cost }: FollowBounds): string {
  return `At most ${attempts || USUAL_ATTEMPTS} messages${cost === "" ? "" : `, $${cost}`}`;
}

/** Returns what the API takes. What is no number is rejected by the service, with the field's name. */
export function followInput({ attempts, cost, conflicts }: FollowBounds) {
  const count = Number(attempts);
  return {
    pull_request: true as const,
    ...(attempts.trim() === "" ? {} : { max_attempts: Number.isNaN(count) ? -1 : count }),
    ...(cost.trim() === "" ? {} : { max_list_cost: budgetTyped(cost).max_list_cost }),
    conflicts,
  };
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string): string {
  if (param === "follow.max_attempts") return "attempts";
  return param.startsWith("follow.max_list_cost") ? "cost" : "";
}

/** Returns how far a follow is, as sentences. */
export function followState({
  status,
  attempts,
  max_attempts,
  max_list_cost,
  stopped_reason,
}: Follow): string {
  if (status === "stopped") return `Stopped. ${stopped_reason?.message ?? ""}`.trim();
  const bound = max_list_cost === null ? "" : `, up to ${formatCents(max_list_cost.amount)}`;
  const told = `The agent was told ${attempts} of ${formatPlural(max_attempts, "time")}${bound}.`;
  return status === "waiting" ? `Waiting for an open pull request. ${told}` : `Watching. ${told}`;
}
