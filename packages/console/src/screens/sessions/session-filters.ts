import type { SessionStatus } from "@berth/sdk";
import { readSince, type Since, timeOf } from "../../shell/list-search.ts";

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
  since?: Since;
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

/** Reads an address, in which anything may stand. */
export function readFilters(search: Record<string, unknown>): SessionFilters {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const known = STATUS_CHOICES.map(({ value }) => value as string);
  const statuses = (Array.isArray(search.status) ? search.status : [search.status]).filter((one) =>
    known.includes(one),
  );
  return withoutUndefined({
    q: text(search.q)?.slice(0, MAX_TITLE),
    status: statuses.length === 0 ? undefined : (statuses as SessionFilters["status"]),
    agent: text(search.agent),
    environment: text(search.environment),
    owner: text(search.owner),
    since: readSince(search.since),
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
    "created_at[gte]": timeOf(since, now),
    include_archived: archived,
  });
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
