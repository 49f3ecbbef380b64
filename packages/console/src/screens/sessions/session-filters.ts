import type { SessionStatus, Standing } from "@berth/sdk";
import { readSince, type Since, timeOf } from "../../shell/list-search.ts";
import { STANDINGS } from "../../ui/standings.ts";

/** The filters of the list, as search parameters. */
export type SessionFilters = {
  /** A part of the title. */
  q?: string;
  state?: State;
  agent?: string;
  environment?: string;
  owner?: string;
  /** The age of the last activity, at most. */
  since?: Since;
  archived?: true;
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

/** The longest part of a title that the service accepts, in characters. */
export const MAX_TITLE = 200;

/** Reads search parameters, which may hold anything. */
export function readFilters(search: Record<string, unknown>): SessionFilters {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return withoutUndefined({
    q: text(search.q)?.slice(0, MAX_TITLE),
    state: STATE_CHOICES.find(({ value }) => value === search.state)?.value,
    agent: text(search.agent),
    environment: text(search.environment),
    owner: text(search.owner),
    since: readSince(search.since),
    archived: search.archived === true ? true : undefined,
  });
}

/** Returns the filters as query parameters. The list is sorted by last activity. */
export function listQuery(filters: SessionFilters, now: number) {
  const { q, state, agent, environment, owner, since, archived } = filters;
  const standing: StateQuery = state === undefined ? {} : STATES[state];
  return withoutUndefined({
    sort: "updated_at" as const,
    title: q,
    ...standing,
    agent_id: agent,
    environment_id: environment,
    owner_id: owner,
    "updated_at[gte]": timeOf(since, now),
    include_archived: archived,
  });
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
