import type { SessionStatus, Standing } from "@berth/sdk";
import { readSince, type Since, timeOf } from "../../shell/list-search.ts";
import { STANDINGS } from "../../ui/standings.ts";

/** The filters of the list, as search parameters. */
export type SessionFilters = {
  /** Words of the title, of repositories, or of what was said. */
  q?: string;
  state?: State;
  agent?: string;
  environment?: string;
  /** The deployment that created it. */
  deployment?: string;
  owner?: string;
  /** The age of the last activity, at most. */
  since?: Since;
  archived?: true;
  /** What others share with the user, alone. */
  shared?: true;
  /** Those on the user's desk that the user has not seen, alone. */
  unseen?: true;
};

/** The states of a session, with the query parameters that list each. */
const STATES = {
  running: { statuses: ["running", "rescheduling"] },
  requires_action: { outcomes: ["requires_action"] },
  end_turn: { outcomes: ["end_turn"] },
  retries_exhausted: { outcomes: ["retries_exhausted", "refusal"] },
  repository_failed: { repository_failed: true },
  set_aside: { set_aside: true },
  max_turns: { outcomes: ["max_turns"] },
  budget_reached: { outcomes: ["budget_reached"] },
  cancelled: { outcomes: ["cancelled"] },
  none: { outcomes: ["none"] },
  terminated: { statuses: ["terminated"] },
} satisfies { [Key in Standing]?: StateQuery };

type StateQuery = {
  statuses?: SessionStatus[];
  outcomes?: Exclude<
    Standing,
    "archived" | "terminated" | "running" | "rescheduling" | "repository_failed" | "set_aside"
  >[];
  repository_failed?: true;
  set_aside?: true;
};
type State = keyof typeof STATES;

export const STATE_CHOICES = (Object.keys(STATES) as State[]).map((value) => ({
  value,
  label: STANDINGS[value].text,
}));

/** The longest search that the service accepts, in characters. */
export const MAX_SEARCH = 200;

/** Reads search parameters, which may hold anything. */
export function readFilters(search: Record<string, unknown>): SessionFilters {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return withoutUndefined({
    q: text(search.q)?.slice(0, MAX_SEARCH),
    state: STATE_CHOICES.find(({ value }) => value === search.state)?.value,
    agent: text(search.agent),
    environment: text(search.environment),
    deployment: text(search.deployment),
    owner: text(search.owner),
    since: readSince(search.since),
    archived: search.archived === true ? true : undefined,
    shared: search.shared === true ? true : undefined,
    unseen: search.unseen === true ? true : undefined,
  });
}

/** Returns the filters as query parameters. The list is sorted by last activity. */
export function listQuery(filters: SessionFilters, now: number) {
  const { q, state, agent, environment, deployment, owner, since, archived, shared, unseen } = filters;
  const standing: StateQuery = state === undefined ? {} : STATES[state];
  return withoutUndefined({
    sort: "updated_at" as const,
    search: q,
    ...standing,
    agent_id: agent,
    environment_id: environment,
    deployment_id: deployment,
    owner_id: owner,
    "updated_at[gte]": timeOf(since, now),
    include_archived: archived,
    shared_with_me: shared,
    unseen,
  });
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
