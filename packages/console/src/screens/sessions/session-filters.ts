import type { SessionStatus } from "@berth/sdk";

/** The filters of the list, as the address has them. */
export type SessionFilters = {
  /** A part of the title. */
  q?: string;
  status?: SessionStatus[];
  /** Only sessions with calls that wait for an answer. */
  waiting?: true;
  agent?: string;
  environment?: string;
  owner?: string;
  /** How far back a session was created. */
  since?: "day" | "week" | "month";
  archived?: true;
};

export const STATUS_CHOICES = [
  { value: "running", label: "Running" },
  { value: "rescheduling", label: "Rescheduling" },
  { value: "idle", label: "Idle" },
  { value: "terminated", label: "Ended" },
] as const;

/** The service takes no longer part of a title. */
export const MAX_TITLE = 200;

const DAY_MS = 86_400_000;
const SINCE_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

export const SINCE_CHOICES = [
  { value: "day", label: "Last day" },
  { value: "week", label: "Last week" },
  { value: "month", label: "Last month" },
] as const;

/** Reads an address, in which anything may stand. */
export function readFilters(search: Record<string, unknown>): SessionFilters {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const known = STATUS_CHOICES.map(({ value }) => value as string);
  const statuses = (Array.isArray(search.status) ? search.status : [search.status]).filter((one) =>
    known.includes(one),
  );
  const since = SINCE_CHOICES.find(({ value }) => value === search.since)?.value;
  return withoutUndefined({
    q: text(search.q)?.slice(0, MAX_TITLE),
    status: statuses.length === 0 ? undefined : (statuses as SessionFilters["status"]),
    agent: text(search.agent),
    environment: text(search.environment),
    owner: text(search.owner),
    since,
    waiting: search.waiting === true ? true : undefined,
    archived: search.archived === true ? true : undefined,
  });
}

/** The filters as the service takes them. */
export function listQuery(filters: SessionFilters, now: number) {
  const { q, status, waiting, agent, environment, owner, since, archived } = filters;
  return withoutUndefined({
    title: q,
    statuses: status,
    requires_action: waiting,
    agent_id: agent,
    environment_id: environment,
    owner_id: owner,
    // To the minute, so that the same list is asked for.
    "created_at[gte]": since && new Date(Math.floor((now - SINCE_MS[since]) / 60_000) * 60_000).toISOString(),
    include_archived: archived,
  });
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
