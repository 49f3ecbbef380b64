import type { Queryable } from "@berth/store/db";

/** A session whose words may have to be read. Ids are uuids. */
export interface ChangedSession {
  id: string;
  organization_id: string;
  title: string;
  last_seq: number;
  /** As database text, which is more exact than a date. */
  active_at: string;
  urls: string[];
  /** What was read of it before; null for nothing. */
  read: { title: string; last_seq: number } | null;
}

/** The place of a session in the order of last activity. */
export type Place = Pick<ChangedSession, "id" | "active_at">;

/** Returns up to `limit` sessions in order of their last activity, after a place. */
export async function changedSessions(
  db: Queryable,
  { active_at, id }: Place,
  limit: number,
): Promise<ChangedSession[]> {
  const { rows } = await db.query<ChangedSession>({
    name: "changed_sessions",
    text: `
      select sessions.id, organization_id, sessions.title, sessions.last_seq, updated_at::text as active_at,
        array(select url from session_resources where session_id = sessions.id and url is not null) as urls,
        case when session_words.session_id is not null
          then json_build_object('title', session_words.title, 'last_seq', session_words.last_seq) end as read
      from sessions left join session_words on session_words.session_id = sessions.id
      where deleted_at is null and (updated_at, sessions.id) > ($1::timestamptz, $2::uuid) and updated_at <= now()
      order by updated_at, sessions.id limit $3`,
    values: [active_at, id, limit],
  });
  return rows;
}

export async function readUntil(db: Queryable): Promise<string> {
  const text = "select read_until::text as until from session_words_state";
  const { rows } = await db.query<{ until: string }>({ name: "words_read_until", text });
  return rows[0]?.until ?? "-infinity";
}

/**
 * Stores how far sessions were read: up to `until`, but not into the last minute, in which transactions may still
 * commit an earlier activity.
 */
export async function setReadUntil(db: Queryable, until: string): Promise<void> {
  await db.query({
    name: "set_words_read_until",
    text: `update session_words_state
      set read_until = greatest(read_until, least($1::timestamptz, now() - interval '1 minute'))`,
    values: [until],
  });
}

/** An event after those that are read; `body` only of a message that is not too large to be read. */
export interface UnreadEvent {
  session_id: string;
  seq: number;
  body: string | null;
}

/** Returns up to `limit` events of each session after the last that is read, oldest first. */
export async function unreadEvents(
  db: Queryable,
  sessions: readonly { id: string; after: number }[],
  limit: number,
): Promise<UnreadEvent[]> {
  const { rows } = await db.query<UnreadEvent>({
    name: "unread_events",
    text: `
      select given.id as session_id, event.seq, event.body
      from unnest($1::uuid[], $2::bigint[]) as given (id, after) cross join lateral (
        select seq, case when type in ('user.message', 'agent.message') and length(body) < 1000000 then body end as body
        from events where session_id = given.id and seq > given.after order by seq limit $3
      ) as event order by session_id, seq`,
    values: [sessions.map(({ id }) => id), sessions.map(({ after }) => after), limit],
  });
  return rows;
}

/** Words of a session, to be stored. */
export interface NewWords {
  id: string;
  title: string;
  last_seq: number;
  head: readonly string[];
  said: readonly string[];
}

/**
 * Stores the words of sessions, apart from those that are gone. What was said is added to what is there, until a
 * session has 20,000 words.
 */
export async function storeWords(db: Queryable, words: readonly NewWords[]): Promise<void> {
  await db.query({
    name: "store_words",
    text: `
      insert into session_words (session_id, title, last_seq, head, said)
      select given.id, given.title, given.last_seq,
        array_to_tsvector(array(select json_array_elements_text(given.head))),
        array_to_tsvector(array(select json_array_elements_text(given.said)))
      from json_to_recordset($1::json) as given (id uuid, title text, last_seq bigint, head json, said json)
        join sessions on sessions.id = given.id
      order by given.id for key share of sessions
      on conflict (session_id) do update set title = excluded.title, last_seq = excluded.last_seq, head = excluded.head,
        said = case when length(session_words.said) < 20000 then session_words.said || excluded.said else session_words.said end`,
    values: [JSON.stringify(words)],
  });
}

/** Returns up to `limit` sessions that fit a query of words, in no order. @param query in PostgreSQL's syntax. */
export async function sessionsWithWords(db: Queryable, query: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: "sessions_with_words",
    text: "select session_id as id from session_words where words @@ $1::tsquery limit $2",
    values: [query, limit],
  });
  return rows.map(({ id }) => id);
}

/** Of the sessions that were active last, as many are looked at to see whether words are common. */
const LOOKED_AT = 200;
/** Words are common if one of so many sessions has them. */
const COMMON = 20;

/**
 * Returns whether words are so common that a list by activity soon comes to sessions that have them. The index would
 * first collect them all, and for a short beginning those of thousands of words.
 */
export async function areCommonWords(db: Queryable, organizationId: string, query: string): Promise<boolean> {
  const { rows } = await db.query<{ found: number }>({
    name: "common_words",
    text: `select count(*)::integer as found from (
        select id from sessions where organization_id = $1 and deleted_at is null and archived_at is null
        order by updated_at desc, id desc limit ${LOOKED_AT}
      ) as latest join session_words on session_id = id where words @@ $2::tsquery`,
    values: [organizationId, query],
  });
  return (rows[0]?.found ?? 0) * COMMON >= LOOKED_AT;
}
