import {
  formatId,
  kindOfEvent,
  MAX_WEBHOOK_FAILURES,
  minUuidAt,
  parseId,
  uuidTimestamp,
  type WebhookDelivery,
  type WebhookFormat,
} from "@berth/contract";
import { requireFound } from "@berth/store/access";
import {
  type BatchStatement,
  condition,
  databaseNow,
  type KeysetRange,
  type Queryable,
  selectKeyset,
} from "@berth/store/db";

/** What happened to which object. Ids are uuids. */
export interface EventRow {
  event_id: string;
  event_type: string;
  object_id: string;
  /** Further ids that a receiver needs to read the object. */
  details: { vault_id?: string; deployment_id?: string; resource_id?: string; number?: number };
}

export interface DeliveryRow extends EventRow {
  id: string;
  webhook_id: string;
  status: WebhookDelivery["status"];
  due_at: Date | null;
  attempts: number;
  attempted_at: Date | null;
  response_status: number | null;
  error: string | null;
}

const COLUMNS =
  "id, webhook_id, event_id, event_type, object_id, details, status, due_at, attempts, attempted_at, response_status, error";

export async function listDeliveries(
  db: Queryable,
  webhookId: string,
  range: KeysetRange,
  { status, event_type }: { status?: string | undefined; event_type?: string | undefined },
): Promise<DeliveryRow[]> {
  const [also, conditions] =
    status !== undefined
      ? [
          { column: "status", value: status },
          event_type === undefined ? [] : [condition("event_type = ?", event_type)],
        ]
      : [event_type === undefined ? undefined : { column: "event_type", value: event_type }, []];
  const branch = { column: "webhook_id", value: webhookId, ...(also === undefined ? {} : { also }) };
  const listing = { table: "webhook_deliveries", columns: COLUMNS, conditions };
  return await selectKeyset<DeliveryRow>(db, range, listing, [branch]);
}

/** @throws errors.notFound */
export async function requireDelivery(
  tx: Queryable,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const { rows } = await tx.query<DeliveryRow>({
    name: "get_webhook_delivery",
    text: `select ${COLUMNS} from webhook_deliveries where webhook_id = $1 and id = $2`,
    values: [webhookId, parseId("webhook_delivery", deliveryId)],
  });
  return requireFound("webhook_delivery", deliveryId, rows[0]);
}

/** Makes a delivery due, as if it had never been tried. */
export async function resetDelivery(tx: Queryable, id: string): Promise<DeliveryRow> {
  const { rows } = await tx.query<DeliveryRow>({
    name: "reset_webhook_delivery",
    text: `update webhook_deliveries set status = 'pending', due_at = now(), attempts = 0, response_status = null, error = null
      where id = $1 returning ${COLUMNS}`,
    values: [id],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A delivery is missing although its webhook is locked.");
  return row;
}

/** @param isEnabled whether its webhook is enabled, without which nothing is tried. */
export function toDelivery(row: DeliveryRow, isEnabled: boolean): WebhookDelivery {
  return {
    id: formatId("webhook_delivery", row.id),
    type: "webhook_delivery",
    webhook_id: formatId("webhook", row.webhook_id),
    event_id: formatId("event", row.event_id),
    event_type: row.event_type,
    object_id: formatId(kindOfEvent(row.event_type), row.object_id),
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    last_attempt_at: row.attempted_at?.toISOString() ?? null,
    next_attempt_at: isEnabled ? (row.due_at?.toISOString() ?? null) : null,
    created_at: uuidTimestamp(row.event_id),
  };
}

/** A delivery that this process is to try, with what its webhook says. */
export interface ClaimedDelivery extends EventRow {
  id: string;
  webhook_id: string;
  organization_id: string;
  attempts: number;
  format: WebhookFormat;
  url: string | null;
  recipient_ids: string[];
  /** Sealed. */
  secret: Buffer | null;
  /** Sealed; null once it signs no longer. */
  former_secret: Buffer | null;
  /** Seconds since 1970, by the database's clock. */
  now: number;
}

/** Columns of a claimed delivery that its webhook has. */
export const SIGNING_COLUMNS = `organization_id, format, url, recipient_ids, secret,
  case when former_secret_until > now() then former_secret end as former_secret,
  extract(epoch from now())::double precision as now`;

/**
 * Claims deliveries that are due, for `leaseMs`: if this process dies, another tries them after that. It reads the
 * webhooks that have something pending one after the other by the index, and of each only as many deliveries as
 * this process has room for, so it costs the same however much waits for a slow receiver.
 *
 * @param rooms how many deliveries of a webhook may be claimed; `room` for all others.
 */
export async function claimDeliveries(
  db: Queryable,
  {
    limit,
    room,
    rooms,
    leaseMs,
  }: { limit: number; room: number; rooms: ReadonlyMap<string, number>; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: "claim_webhook_deliveries",
    text: `
      with recursive waiting (webhook_id) as (
        (select webhook_id from webhook_deliveries where due_at is not null order by webhook_id limit 1)
        union all
        select (select next.webhook_id from webhook_deliveries as next
          where next.due_at is not null and next.webhook_id > waiting.webhook_id order by next.webhook_id limit 1)
        from waiting where waiting.webhook_id is not null
      ), picked as materialized (
        select due.id
        from waiting join webhooks on webhooks.id = waiting.webhook_id and disabled_at is null
          left join users on users.id = webhooks.owner_id
          cross join lateral (
            select id from webhook_deliveries
            where webhook_deliveries.webhook_id = waiting.webhook_id and due_at <= now()
            order by due_at
            limit coalesce((select room from unnest($3::uuid[], $4::integer[]) as known (id, room) where known.id = waiting.webhook_id), $2)
            for update skip locked
          ) as due
        where users.disabled_at is null
        limit $1
      ), claimed as (
        update webhook_deliveries set due_at = now() + $5 * interval '1 millisecond', attempts = attempts + 1, attempted_at = now()
        from picked where webhook_deliveries.id = picked.id
        returning webhook_deliveries.*
      )
      select claimed.id, webhook_id, event_id, event_type, object_id, details, attempts, ${SIGNING_COLUMNS}
      from claimed join webhooks on webhooks.id = webhook_id`,
    values: [limit, room, [...rooms.keys()], [...rooms.values()], leaseMs],
  });
  return rows;
}

/** Whether any event can come. */
export async function isAnyEnabled(db: Queryable): Promise<boolean> {
  const text = "select from webhooks where disabled_at is null limit 1";
  return (await db.query({ name: "any_webhook_enabled", text })).rowCount > 0;
}

/** What became of one try. */
export interface AttemptResult {
  /** uuid of the delivery. */
  id: string;
  webhook_id: string;
  attempts: number;
  ok: boolean;
  /** Whether the receiver wants no more. */
  gone: boolean;
  response_status: number | null;
  /** One sentence; null if it was delivered. */
  error: string | null;
  /** Milliseconds until the next try; null for none. */
  retry_ms: number | null;
}

/**
 * Stores results, and what follows for their webhooks. An event counts as missed once its second try has failed, so
 * that a receiver that restarts is not disabled. A late result of a try whose lease has ended counts only if it was
 * delivered.
 */
export const STORE_ATTEMPT: BatchStatement<AttemptResult, { id: string }> = {
  name: "store_webhook_attempts",
  encode: (result) => JSON.stringify(result),
  text: `
    with given as materialized (
      select * from jsonb_to_recordset($1::jsonb) as given (id uuid, webhook_id uuid, attempts integer, ok boolean, gone boolean,
        response_status integer, error text, retry_ms double precision)
    ), counted as (
      select webhook_id, bool_or(ok) as any_ok, bool_or(gone) as gone, count(*) filter (where attempts = 2 and not ok)::integer as missed
      from given group by webhook_id
    ), counting as (
      update webhooks set
        failures = case when any_ok then 0 else failures + missed end,
        disabled_at = case when counted.gone or not any_ok and failures + missed >= ${MAX_WEBHOOK_FAILURES}
          then coalesce(disabled_at, now()) else disabled_at end,
        disabled_reason = case when disabled_at is not null then disabled_reason when counted.gone then 'gone'
          when not any_ok and failures + missed >= ${MAX_WEBHOOK_FAILURES} then 'failing' end
      from counted where webhooks.id = counted.webhook_id and (any_ok and failures > 0 or not any_ok and missed > 0 or counted.gone)
    )
    update webhook_deliveries set
      status = case when ok then 'delivered' when retry_ms is null then 'failed' else 'pending' end,
      due_at = case when not ok then now() + retry_ms * interval '1 millisecond' end,
      response_status = given.response_status, error = given.error
    from given
    where webhook_deliveries.id = given.id and status = 'pending' and (ok or webhook_deliveries.attempts = given.attempts)
    returning webhook_deliveries.id`,
};

/** Returns what a webhook says for each delivery. */
export async function readSigning(
  db: Queryable,
  webhookId: string,
): Promise<Omit<ClaimedDelivery, keyof EventRow | "id" | "attempts">> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: "read_webhook_signing",
    text: `select id as webhook_id, ${SIGNING_COLUMNS} from webhooks where id = $1`,
    values: [webhookId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A webhook is gone while it is tested.");
  return row;
}

/** What a message for people says of an event. */
export interface EventSubject {
  /** Of the session. */
  title: string | null;
  agent: string | null;
  /** The address of the owner; null for an organization. */
  owner: string | null;
  /** Addresses of recipients who are still members. */
  recipients: string[];
  /** Of the pull request. */
  pull_request: { title: string; url: string } | null;
}

export async function readSubject(
  db: Queryable,
  {
    object_id: object,
    details,
    recipient_ids: recipients,
    organization_id: organization,
  }: Pick<ClaimedDelivery, "object_id" | "details" | "recipient_ids" | "organization_id">,
): Promise<EventSubject> {
  const { rows } = await db.query<EventSubject>({
    name: "read_webhook_subject",
    text: `
      select title, agent ->> 'name' as agent, email as owner,
        array(select users.email from users where users.id = any($3::uuid[]) and users.organization_id = $4
          and users.disabled_at is null order by users.email) as recipients,
        (select jsonb_build_object('title', pr ->> 'title', 'url', pr ->> 'url')
          from session_pull_requests, jsonb_array_elements(found) as known (pr)
          where resource_id = $2::uuid and pr -> 'number' = $5::jsonb) as pull_request
      from (select $1::uuid as id) as object left join sessions using (id) left join users on users.id = sessions.owner_id`,
    values: [object, details.resource_id ?? null, recipients, organization, details.number ?? null],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A statement that returns one row returned none.");
  return row;
}

/** The most deliveries that one statement deletes. */
const OLD_BATCH = 5_000;

/** Deletes deliveries of events that are older than thirty days. Returns early when the signal aborts. */
export async function deleteOldDeliveries(db: Queryable, signal: AbortSignal): Promise<void> {
  const before = minUuidAt(databaseNow() - 30 * 86_400_000);
  while (!signal.aborted) {
    const { rowCount } = await db.query({
      name: "delete_old_webhook_deliveries",
      text: `delete from webhook_deliveries where id in (
        select id from webhook_deliveries where id < $1 order by id limit ${OLD_BATCH} for update skip locked)`,
      values: [before],
    });
    if (rowCount < OLD_BATCH) return;
  }
}
