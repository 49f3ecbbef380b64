import type { Config } from "../config/config.ts";

import type { Queryable } from "../db/statement.ts";
import { fileBytes } from "../features/files/file-bytes-store.ts";
import { diskBytes, runningTurns, sandboxSecondsToday } from "../features/sessions/events/work-store.ts";
import { countOpenSessions } from "../features/sessions/open-session-store.ts";
import { LIMIT_NAMES, type LimitName } from "../limits/limit-names.ts";
import { readLimits, removeLimit, storeLimit } from "../limits/limit-store.ts";
import { OperatorError } from "./as-operator.ts";

/** An organization by its name, or a user by the email address. */
export interface LimitedOwner {
  organization?: string | undefined;
  user?: string | undefined;
}

/** A limit as the operator sees it. */
export interface LimitEntry {
  name: LimitName;
  /** Null: no limit. */
  value: number | null;
  /** Where the value is from; null: there is none. */
  from: "own" | "settings" | null;
  /** How much of it is used now; null for requests, which each process counts by itself. */
  used: number | null;
}

interface Found {
  kind: "organization" | "user";
  id: string;
  organizationId: string;
}

export async function listLimits(
  db: Queryable,
  owner: LimitedOwner,
  { organizationLimits, userLimits }: Pick<Config, "organizationLimits" | "userLimits">,
): Promise<LimitEntry[]> {
  const found = await findOwner(db, owner);
  const own = (await readLimits(db)).get(found.id) ?? {};
  const defaults = found.kind === "organization" ? organizationLimits : userLimits;
  const used: Partial<Record<LimitName, number>> = {
    open_sessions: await countOpenSessions(db, found),
    file_bytes: await fileBytes(db, found),
    running_turns: await runningTurns(db, found),
    sandbox_seconds_per_day: Math.round((await sandboxSecondsToday(db, found)).seconds),
    disk_bytes: await diskBytes(db, found),
  };
  return LIMIT_NAMES.map((name) => {
    const value = own[name] ?? (name in own ? null : (defaults[name] ?? null));
    const from = name in own ? ("own" as const) : name in defaults ? ("settings" as const) : null;
    return { name, value, from, used: used[name] ?? null };
  });
}

/** @param values null: no limit, whatever the settings say; undefined: that of the settings again. */
export async function changeLimits(
  tx: Queryable,
  owner: LimitedOwner,
  values: ReadonlyMap<LimitName, number | null | undefined>,
): Promise<void> {
  const found = await findOwner(tx, owner);
  for (const [name, value] of values) {
    if (value === undefined) await removeLimit(tx, found.id, name);
    else await storeLimit(tx, found, name, value);
  }
}

async function findOwner(db: Queryable, { organization, user }: LimitedOwner): Promise<Found> {
  const [kind, name, text] =
    user === undefined
      ? ([
          "organization",
          organization,
          "select id, id as organization_id from organizations where name = $1",
        ] as const)
      : (["user", user, "select id, organization_id from users where email = $1"] as const);
  const { rows } = await db.query<{ id: string; organization_id: string }>({ text, values: [name] });
  const [row] = rows;
  if (row === undefined) throw new OperatorError(`There is no ${kind} '${name}'.`);
  return { kind, id: row.id, organizationId: row.organization_id };
}
