import { budgetOf, formatId, type Session, type TurnOutcome, uuidMillisecond } from "@berth/contract";
import { type OwnedRow, ownedFields, type Principal } from "@berth/store/access";
import type { PricedModels } from "../usage/figures.ts";
import { type FollowRow, toFollow } from "./follow/follow-store.ts";
import { type ResourceRow, toSessionResource } from "./resources/resource-row.ts";
import { type TokenRow, tokenCosts } from "./token-costs.ts";

export interface SessionRow extends OwnedRow, TokenRow {
  /** The agent's snapshot as JSON text, which is sent without being parsed. */
  agent: string;
  environment_id: string;
  deployment_id: string | null;
  environment_variables: Record<string, string>;
  git_identity: Session["git_identity"];
  chosen_runtimes: Session["chosen_runtimes"];
  devcontainer: Session["devcontainer"];
  /** Nanodollars; null for none. */
  budget_nano: number | null;
  title: string;
  metadata: Record<string, string>;
  status: Session["status"];
  /** `none` when no turn has ended. */
  last_turn_outcome: TurnOutcome | "none";
  last_turn_ended_at: Date | null;
  set_aside_at: Date | null;
  /** uuids of the users who have not seen what it last came to. */
  unseen_by: string[];
  /** Whole seconds. */
  active_seconds: number;
  /** The database's clock when the row was read. */
  read_at: Date;
  /** Resources, oldest first. */
  resources: ResourceRow[] | null;
  /** Uuids in the order of the request. */
  vault_ids: string[];
  terminated_at: Date | null;
  follow: FollowRow | null;
}

/** Returns the session as JSON text, for a caller. */
export function sessionJson(row: SessionRow, models: PricedModels, caller: Pick<Principal, "id">): string {
  const { id, type, ...rest } = sessionWithoutAgent(row, models, caller);
  const head = JSON.stringify({ id, type }).slice(0, -1);
  return `${head},"agent":${row.agent},${JSON.stringify(rest).slice(1)}`;
}

function sessionWithoutAgent(
  row: SessionRow,
  models: PricedModels,
  caller: Pick<Principal, "id">,
): Omit<Session, "agent"> {
  return {
    id: formatId("session", row.id),
    type: "session",
    environment_id: formatId("environment", row.environment_id),
    status: row.status,
    title: row.title,
    metadata: row.metadata,
    resources: (row.resources ?? []).map(toSessionResource),
    vault_ids: row.vault_ids.map((id) => formatId("vault", id)),
    deployment_id: row.deployment_id === null ? null : formatId("deployment", row.deployment_id),
    outcome_evaluations: [],
    last_turn: lastTurn(row),
    set_aside:
      row.set_aside_at === null ? null : { since: row.set_aside_at.toISOString(), reason: "runner_crashed" },
    unseen: row.unseen_by.includes(caller.id),
    stats: { active_seconds: row.active_seconds, duration_seconds: durationSeconds(row) },
    ...tokenCosts(row, models),
    budget: row.budget_nano === null ? null : budgetOf(row.budget_nano),
    follow: row.follow === null ? null : toFollow(row.follow),
    environment_variables: row.environment_variables,
    git_identity: row.git_identity,
    chosen_runtimes: row.chosen_runtimes,
    devcontainer: row.devcontainer,
    ...ownedFields(row),
  };
}

function lastTurn({
  last_turn_outcome: outcome,
  last_turn_ended_at: endedAt,
}: SessionRow): Session["last_turn"] {
  if (outcome === "none" || endedAt === null) return null;
  return { outcome, ended_at: endedAt.toISOString() };
}

/**
 * Returns the seconds from creation until termination or the read. At least `active_seconds`, since older ids
 * have the time of a process's clock.
 */
function durationSeconds(row: SessionRow): number {
  const end = (row.terminated_at ?? row.read_at).getTime();
  return Math.max(Math.floor((end - uuidMillisecond(row.id)) / 1_000), row.active_seconds, 0);
}
