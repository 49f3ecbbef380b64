import {
  formatId,
  MAX_TRIGGERS,
  type Trigger,
  type TriggerFilter,
  type TriggerSource,
  uuidTimestamp,
} from "@berth/contract";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import { errors } from "@berth/store/errors";

export interface TriggerRow {
  id: string;
  deployment_id: string;
  type: TriggerSource;
  name: string | null;
  /** Sealed; see `SecretBox`. */
  secret: Buffer;
  filter: TriggerFilter;
  connection_id: string | null;
  site_url: string | null;
  /** Sealed; null for none. */
  token: Buffer | null;
  allowed_users: string[];
  label: string | null;
  mention: string | null;
  max_runs_per_hour: number;
  updated_at: Date;
}

const NAMES = [
  ...["id", "deployment_id", "type", "name", "secret", "filter", "connection_id", "site_url", "token"],
  ...["allowed_users", "label", "mention", "max_runs_per_hour"],
] as const;
const COLUMNS = [...NAMES, "updated_at"].join(", ");

/** Stores a trigger of a locked deployment, or the new fields of one. @throws errors.tooManyTriggers */
export async function storeTrigger(
  tx: Queryable,
  trigger: Omit<TriggerRow, "updated_at">,
): Promise<TriggerRow> {
  const { rows } = await tx.query<TriggerRow>({
    name: "store_trigger",
    text: `
      insert into deployment_triggers (${NAMES.join(", ")})
      select ${NAMES.map((_, index) => `$${index + 1}`).join(", ")}
      where (select count(*) from deployment_triggers where deployment_id = $2 and id <> $1) < ${MAX_TRIGGERS}
      on conflict (id) do update set updated_at = now(), ${NAMES.slice(3)
        .map((name) => `${name} = excluded.${name}`)
        .join(", ")}
      returning ${COLUMNS}`,
    values: [
      ...[trigger.id, trigger.deployment_id, trigger.type, trigger.name, trigger.secret],
      ...[JSON.stringify(trigger.filter), trigger.connection_id, trigger.site_url, trigger.token],
      ...[trigger.allowed_users, trigger.label, trigger.mention, trigger.max_runs_per_hour],
    ],
  });
  const [row] = rows;
  if (row === undefined) throw errors.tooManyTriggers();
  return row;
}

export async function getTrigger(db: Queryable, id: string): Promise<TriggerRow | null> {
  const text = `select ${COLUMNS} from deployment_triggers where id = $1`;
  return (await db.query<TriggerRow>({ name: "get_trigger", text, values: [id] })).rows[0] ?? null;
}

export async function listTriggers(
  db: Queryable,
  deploymentId: string,
  range: KeysetRange,
): Promise<TriggerRow[]> {
  const listing = { table: "deployment_triggers", columns: COLUMNS };
  return await selectKeyset<TriggerRow>(db, range, listing, [
    { column: "deployment_id", value: deploymentId },
  ]);
}

/** Deletes a trigger, with its deliveries. */
export async function deleteTrigger(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "delete_trigger",
    text: "delete from deployment_triggers where id = $1",
    values: [id],
  });
}

/** A trigger to which something was sent, with the state of its deployment. */
export type CalledTrigger = Pick<
  TriggerRow,
  "id" | "type" | "secret" | "filter" | "label" | "mention" | "max_runs_per_hour"
> & {
  /** Whether its deployment runs: it is neither paused nor archived. */
  isActive: boolean;
  /** The database's clock, in seconds since 1970. */
  now: number;
};

/** Returns a trigger, or only the time if there is none. */
export async function readCalled(
  db: Queryable,
  id: string,
): Promise<CalledTrigger | { id: null; now: number }> {
  const { rows } = await db.query<CalledTrigger>({
    name: "read_called_trigger",
    text: `
      select trigger.id, type, secret, filter, label, mention, max_runs_per_hour,
        paused_reason is null and archived_at is null as "isActive",
        extract(epoch from clock_timestamp())::double precision as now
      from (select $1::uuid as asked) as given
        left join (deployment_triggers as trigger join deployments on deployments.id = deployment_id) on trigger.id = asked`,
    values: [id],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A statement that returns one row returned none.");
  return row;
}

/** @param base of the service, such as `https://berth.example.com`; null if it is not known. */
export function toTrigger(row: TriggerRow, base: string | null): Trigger {
  const id = formatId("trigger", row.id);
  return {
    id,
    type: row.type,
    deployment_id: formatId("deployment", row.deployment_id),
    name: row.name,
    url: base === null ? null : `${base}/hooks/${id}`,
    filter: row.filter,
    connection_id: row.connection_id === null ? null : formatId("connection", row.connection_id),
    site_url: row.site_url,
    has_token: row.token !== null,
    allowed_users: row.allowed_users,
    label: row.label,
    mention: row.mention,
    max_runs_per_hour: row.max_runs_per_hour,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
