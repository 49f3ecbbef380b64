import {
  type DeliveryState,
  formatId,
  minUuidAt,
  newUuid,
  type TriggerDelivery,
  uuidTimestamp,
} from "@berth/contract";
import { databaseNow, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import type { HookEvent } from "../hooks/hook-event.ts";
import type { CalledTrigger } from "./trigger-store.ts";

interface DeliveryRow {
  id: string;
  trigger_id: string;
  delivery_id: string;
  event: string;
  author: string | null;
  status: DeliveryState;
  reason: string | null;
  session_id: string | null;
  answer_error: string | null;
}

const COLUMNS = "id, trigger_id, delivery_id, event, author, status, reason, session_id, answer_error";

/** What was sent, and what its body says of it. */
export interface NewDelivery {
  deliveryId: string;
  digest: Buffer | null;
  event: HookEvent;
  /** `replies` counts only where its thread has a session. */
  decision: { type: "asks" | "replies" } | { type: "ignored"; reason: string };
}

/** What became of a delivery at once. */
export type Receipt =
  | { status: "pending" | "ignored" | "duplicate" }
  | { status: "refused"; retrySeconds: number };

/** Deliveries of a trigger that wait at most; the limit of the hour is below, unless it is set higher. */
const MAX_PENDING = 1_000;
/** Refused and ignored deliveries of an hour that are listed; further ones leave no row. */
const MAX_LISTED = 1_000;

/**
 * Stores a delivery, once, in the order of the trigger's: its row is locked, so that the limit of the hour is exact.
 * One that was refused before counts as new.
 */
export async function receiveDelivery(
  tx: Queryable,
  trigger: CalledTrigger,
  { deliveryId, digest, event, decision }: NewDelivery,
): Promise<Receipt> {
  await tx.query({
    name: "lock_trigger",
    text: "select from deployment_triggers where id = $1 for no key update",
    values: [trigger.id],
  });
  const hourAgo = minUuidAt(Math.floor(trigger.now * 1_000) - 3_600_000);
  const { rows } = await tx.query<{
    isKnown: boolean;
    oldest: string | null;
    runs: number;
    waiting: number;
    listed: number;
    hasThread: boolean;
    hasSession: boolean;
  }>({
    name: "count_deliveries",
    text: `
      select exists (
          select from trigger_deliveries
          where trigger_id = $1 and status <> 'refused' and (delivery_id = $2 or digest = $3)
        ) as "isKnown",
        (select count(*) from trigger_deliveries
          where trigger_id = $1 and status in ('pending', 'started', 'continued', 'failed') and id >= $4)::integer as runs,
        (select id from trigger_deliveries
          where trigger_id = $1 and status in ('pending', 'started', 'continued', 'failed') and id >= $4
          order by id limit 1) as oldest,
        (select count(*) from trigger_deliveries where trigger_id = $1 and status = 'pending')::integer as waiting,
        (select count(*) from trigger_deliveries
          where trigger_id = $1 and status in ('ignored', 'refused') and id >= $4)::integer as listed,
        exists (select from trigger_threads where trigger_id = $1 and thread = $5)
          or exists (select from trigger_deliveries where trigger_id = $1 and thread = $5 and status = 'pending') as "hasThread"`,
    values: [trigger.id, deliveryId, digest, hourAgo, event.thread],
  });
  const [found] = rows;
  if (found === undefined) throw new Error("A statement that returns one row returned none.");
  if (found.isKnown) return { status: "duplicate" };
  const ignored =
    decision.type === "ignored"
      ? decision.reason
      : decision.type === "replies" && !found.hasThread
        ? "Nothing in it asks for a session, and there is none to which it belongs."
        : event.ask === "labels" && found.hasThread
          ? "Its label has a session already."
          : null;
  const isFull = found.runs >= trigger.max_runs_per_hour || found.waiting >= MAX_PENDING;
  const status = ignored !== null ? "ignored" : isFull ? "refused" : "pending";
  if (status === "pending" || found.listed < MAX_LISTED)
    await insertDelivery(tx, trigger, {
      deliveryId,
      digest,
      event,
      status,
      reason: reasonOf(trigger, status, ignored),
    });
  if (status !== "refused") return { status };
  const since = found.oldest === null ? 0 : trigger.now - Date.parse(uuidTimestamp(found.oldest)) / 1_000;
  return { status, retrySeconds: Math.max(1, Math.ceil(3_600 - since)) };
}

function reasonOf(
  { max_runs_per_hour: most }: CalledTrigger,
  status: string,
  ignored: string | null,
): string | null {
  return status === "refused" ? `The trigger takes ${most} an hour.` : ignored;
}

async function insertDelivery(
  tx: Queryable,
  trigger: CalledTrigger,
  given: Omit<NewDelivery, "decision"> & { status: DeliveryState; reason: string | null },
): Promise<void> {
  const { deliveryId, digest, event, status, reason } = given;
  const isPending = status === "pending";
  await tx.query({
    name: "insert_delivery",
    text: `
      insert into trigger_deliveries (id, trigger_id, delivery_id, digest, event, author, status, reason, thread, work, due_at)
      values ($1, $2, $3, $4, $5, $6, $7::text, $8, $9, $10, case when $7 = 'pending' then now() end)
      on conflict (trigger_id, delivery_id) do update set id = excluded.id, digest = excluded.digest, status = excluded.status,
        reason = excluded.reason, thread = excluded.thread, work = excluded.work, due_at = excluded.due_at`,
    values: [
      ...[newUuid(), trigger.id, deliveryId, status === "refused" ? null : digest, event.name],
      ...[event.author?.name ?? null, status, reason, isPending ? event.thread : null],
      isPending ? JSON.stringify(event) : null,
    ],
  });
}

export async function listDeliveries(
  db: Queryable,
  triggerId: string,
  range: KeysetRange,
  status?: DeliveryState,
): Promise<DeliveryRow[]> {
  const branch = { column: "trigger_id", value: triggerId };
  return await selectKeyset<DeliveryRow>(db, range, { table: "trigger_deliveries", columns: COLUMNS }, [
    status === undefined ? branch : { ...branch, also: { column: "status", value: status } },
  ]);
}

export function toDelivery(row: DeliveryRow): TriggerDelivery {
  return {
    id: formatId("trigger_delivery", row.id),
    type: "trigger_delivery",
    trigger_id: formatId("trigger", row.trigger_id),
    delivery_id: row.delivery_id,
    event: row.event,
    author: row.author,
    status: row.status,
    reason: row.reason,
    session_id: row.session_id === null ? null : formatId("session", row.session_id),
    answer_error: row.answer_error,
    created_at: uuidTimestamp(row.id),
  };
}

/** A delivery of which something is left to do. */
export interface ClaimedDelivery {
  id: string;
  triggerId: string;
  deliveryId: string;
  status: "pending" | "started" | "continued";
  thread: string | null;
  /** With `hasToldWait` once it was said that the session waits for a confirmation. */
  work: HookEvent & { hasToldWait?: true };
  sessionId: string | null;
  seq: string | null;
  answer: "begin" | "end" | null;
  failures: number;
}

const HAS_WAITING = `exists (
  select from events where session_id = sessions.id and processed_at is null and type = 'user.message')`;

/** SQL for whether a session has more to do before its answer is whole: a turn goes on, or will without anybody's doing. */
const IS_BUSY = `archived_at is null and terminated_at is null and deleted_at is null and (status <> 'idle' or (
  ${HAS_WAITING} and set_aside_at is null and not repository_failed and coalesce(budget_stop, 'resumed') = 'resumed'
  and last_turn_outcome is distinct from 'requires_action'))`;

/**
 * Claims one delivery that is to be handed on or answered, for a time, so that what a process that died had begun is
 * taken up by another. Of a thread the oldest comes first; of owners the one of whom the fewest are worked on, and of
 * their triggers the same, so that none holds up another.
 */
export async function claimDelivery(
  db: Queryable,
  { claim, leaseMs }: { claim: string; leaseMs: number },
): Promise<ClaimedDelivery | null> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: "claim_trigger_delivery",
    text: `
      with due as (
        select id, trigger_id, thread, status, row_number() over (partition by trigger_id order by due_at, id) as place
        from trigger_deliveries
        where due_at <= now() and (claimed_until is null or claimed_until <= now())
          and (answer is distinct from 'end' or not exists (select from sessions where id = session_id and ${IS_BUSY}))
      ), owned as (
        select deployment_triggers.id as trigger_id, owner_id from deployment_triggers join deployments on deployments.id = deployment_id
      ), busy as (
        select trigger_id, owner_id, count(*) as works from trigger_deliveries join owned using (trigger_id)
        where due_at is not null and claimed_until > now() group by trigger_id, owner_id
      ), waiting as (
        select due.id, owned.owner_id, place + coalesce(works, 0) as round
        from due join owned using (trigger_id) left join busy using (trigger_id)
        where not (due.status = 'pending' and due.thread is not null and exists (
          select from trigger_deliveries as before
          where before.trigger_id = due.trigger_id and before.thread = due.thread and before.status = 'pending' and before.id < due.id
        ))
      ), free as (
        select id, row_number() over (partition by owner_id order by round, id)
          + coalesce((select sum(works) from busy where busy.owner_id = waiting.owner_id), 0) as turn
        from waiting order by turn, id limit 16
      ), picked as (
        select id from free join trigger_deliveries using (id)
        where due_at <= now() and (claimed_until is null or claimed_until <= now())
        order by turn, id limit 1 for update of trigger_deliveries skip locked
      )
      update trigger_deliveries set claim = $1, claimed_until = now() + $2 * interval '1 millisecond'
      from picked where trigger_deliveries.id = picked.id
      returning trigger_deliveries.id, trigger_id as "triggerId", delivery_id as "deliveryId", status, thread, work,
        session_id as "sessionId", seq::text, answer, failures`,
    values: [claim, leaseMs],
  });
  return rows[0] ?? null;
}

/** Locks a claimed delivery until the transaction ends. Returns false if the claim no longer counts. */
export async function lockClaimed(tx: Queryable, id: string, claim: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "lock_trigger_delivery",
    text: "select from trigger_deliveries where id = $1 and claim = $2 and due_at is not null for update",
    values: [id, claim],
  });
  return rowCount === 1;
}

/** What a delivery comes to. Absent fields stay. */
export interface Outcome {
  status: DeliveryState;
  reason?: string | null;
  sessionId?: string | null;
  seq?: string | null;
  /** What is to be answered next; null for nothing, which ends the work on it. */
  answer: "begin" | "end" | null;
}

/** Stores what a locked delivery came to, and ends its claim. */
export async function storeOutcome(
  tx: Queryable,
  id: string,
  { status, reason = null, sessionId = null, seq = null, answer }: Outcome,
): Promise<void> {
  await tx.query({
    name: "store_trigger_outcome",
    text: `
      update trigger_deliveries set status = $2, reason = $3, session_id = coalesce($4, session_id), seq = coalesce($5, seq),
        answer = $6, due_at = case when $6::text is not null then now() end, failures = 0, answer_error = null, claim = null, claimed_until = null,
        work = case when $6::text is not null then json_build_object('name', work -> 'name', 'repository', work -> 'repository', 'place', work -> 'place') end
      where id = $1`,
    values: [id, status, reason, sessionId, seq, answer],
  });
}

/** Has a claimed delivery tried again later. */
export async function postponeDelivery(
  db: Queryable,
  { id, claim, waitMs, error }: { id: string; claim: string; waitMs: number; error: string | null },
): Promise<void> {
  await db.query({
    name: "postpone_trigger_delivery",
    text: `update trigger_deliveries set due_at = now() + $3 * interval '1 millisecond', failures = failures + 1,
      answer_error = $4, claim = null, claimed_until = null where id = $1 and claim = $2`,
    values: [id, claim, waitMs, error],
  });
}

/** Has a claimed delivery looked at again later, since its session waits, which was said. */
export async function waitForSession(
  db: Queryable,
  id: string,
  claim: string,
  waitMs: number,
): Promise<void> {
  await db.query({
    name: "wait_for_trigger_session",
    text: `update trigger_deliveries set due_at = now() + $3 * interval '1 millisecond', answer_error = null, failures = 0,
      work = (work::jsonb || '{"hasToldWait": true}')::json, claim = null, claimed_until = null where id = $1 and claim = $2`,
    values: [id, claim, waitMs],
  });
}

/** Returns the session of a thread that still takes messages; null for none. */
export async function threadSession(
  tx: Queryable,
  triggerId: string,
  thread: string | null,
): Promise<string | null> {
  if (thread === null) return null;
  const { rows } = await tx.query<{ id: string }>({
    name: "trigger_thread_session",
    text: `select sessions.id from trigger_threads join sessions on sessions.id = session_id
      where trigger_id = $1 and thread = $2 and archived_at is null and terminated_at is null and deleted_at is null`,
    values: [triggerId, thread],
  });
  return rows[0]?.id ?? null;
}

export async function storeThread(
  tx: Queryable,
  triggerId: string,
  thread: string,
  sessionId: string,
): Promise<void> {
  await tx.query({
    name: "store_trigger_thread",
    text: `insert into trigger_threads (trigger_id, thread, session_id) values ($1, $2, $3)
      on conflict (trigger_id, thread) do update set session_id = excluded.session_id`,
    values: [triggerId, thread, sessionId],
  });
}

/** The most deliveries that one statement deletes. */
const OLD_BATCH = 5_000;

/** Deletes deliveries that are older than thirty days. Returns early when the signal aborts. */
export async function deleteOldTriggerDeliveries(db: Queryable, signal: AbortSignal): Promise<void> {
  const before = minUuidAt(databaseNow() - 30 * 86_400_000);
  while (!signal.aborted) {
    const { rowCount } = await db.query({
      name: "delete_old_trigger_deliveries",
      text: `delete from trigger_deliveries where id in (
        select id from trigger_deliveries where id < $1 order by id limit ${OLD_BATCH} for update skip locked)`,
      values: [before],
    });
    if (rowCount < OLD_BATCH) return;
  }
}

/** Gives a claimed delivery up: it was not handed on, or the host takes no answer. */
export async function failDelivery(
  db: Queryable,
  { id, claim, message }: { id: string; claim: string; message: string },
): Promise<void> {
  await db.query({
    name: "fail_trigger_delivery",
    text: `
      update trigger_deliveries set
        reason = case when status = 'pending' then $3 else reason end,
        answer_error = case when status = 'pending' then answer_error else $3 end,
        status = case when status = 'pending' then 'failed' else status end,
        answer = null, due_at = null, work = null, claim = null, claimed_until = null
      where id = $1 and claim = $2`,
    values: [id, claim, message],
  });
}

/** What a session has come to since a delivery was handed on. */
export interface SessionAnswer {
  /** The text of the agent's last message since; null for none. */
  last: unknown;
  /** Whether a message has not been read, since something is in the way. */
  isStuck: boolean;
  /** Whether it waits for a reply to its calls. */
  isAwaiting: boolean;
  /** Whether a later delivery waits for the same answer. */
  isSuperseded: boolean;
}

export async function readAnswer(
  db: Queryable,
  { id, sessionId, seq }: Pick<ClaimedDelivery, "id" | "sessionId" | "seq">,
): Promise<SessionAnswer | null> {
  const { rows } = await db.query<Omit<SessionAnswer, "last"> & { body: string | null }>({
    name: "read_trigger_answer",
    text: `
      select (select body from events where session_id = $1 and type = 'agent.message' and seq > $2
          order by seq desc limit 1) as body,
        ${HAS_WAITING} as "isStuck",
        last_turn_outcome = 'requires_action' and cardinality(awaited_calls) > 0 as "isAwaiting",
        exists (select from trigger_deliveries as later
          where later.session_id = $1 and later.id > $3 and later.answer is not null) as "isSuperseded"
      from sessions where id = $1`,
    values: [sessionId, seq, id],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { body, ...rest } = row;
  return { ...rest, last: body === null ? null : (JSON.parse(body) as unknown) };
}
