import type { Session, SessionStatus } from "@berth/sdk";

/** The filters of the list, as the address has them. */
export type SessionFilters = {
  /** Of the title. */
  q?: string;
  status?: (SessionStatus | "waiting")[];
  agent?: string;
  environment?: string;
  owner?: string;
  /** How far back a session was created. */
  since?: "day" | "week" | "month";
  archived?: true;
};

export const STATUS_CHOICES = [
  { value: "waiting", label: "Needs an answer" },
  { value: "running", label: "Running" },
  { value: "rescheduling", label: "Rescheduling" },
  { value: "idle", label: "Idle" },
  { value: "terminated", label: "Ended" },
] as const;

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
    q: text(search.q),
    status: statuses.length === 0 ? undefined : (statuses as SessionFilters["status"]),
    agent: text(search.agent),
    environment: text(search.environment),
    owner: text(search.owner),
    since,
    archived: search.archived === true ? true : undefined,
  });
}

/** What the service filters itself. */
export function listQuery({ status = [], agent, environment, since, archived }: SessionFilters, now: number) {
  // A session that waits for an answer is idle.
  const statuses = [...new Set(status.map((one) => (one === "waiting" ? "idle" : one)))];
  return withoutUndefined({
    statuses: statuses.length === 0 ? undefined : statuses,
    agent_id: agent,
    environment_id: environment,
    // To the minute, so that the same list is asked for.
    "created_at[gte]": since && new Date(Math.floor((now - SINCE_MS[since]) / 60_000) * 60_000).toISOString(),
    include_archived: archived,
  });
}

/** What is left to filter here. */
export function fits(session: Session, isWaiting: boolean, { q, owner, status }: SessionFilters): boolean {
  if (owner !== undefined && session.owner_id !== owner) return false;
  if (status !== undefined && !status.some((one) => (one === "waiting" ? isWaiting : session.status === one)))
    return false;
  return q === undefined || `${session.title} ${session.id}`.toLowerCase().includes(q.toLowerCase());
}

/** Whether the list has to be searched here, through more than its first page. */
export function searchesHere({ q, owner, status }: SessionFilters): boolean {
  return q !== undefined || owner !== undefined || (status?.includes("waiting") ?? false);
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
