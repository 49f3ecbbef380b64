-- events.created_at: by the clock of the database, and in a session never before that of the event before, whatever clock that was; null in
-- events of releases before, whose time is that of their ids. sessions.last_event_at: that of the last event.
alter table events add column created_at timestamptz;
alter table events alter column created_at set default clock_timestamp();
alter table sessions add column last_event_at timestamptz;

create function time_of_event(created_at timestamptz, id uuid) returns timestamptz language sql immutable as $$
  select coalesce(created_at, to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0))
$$;

-- The seq from which on the events of a session are not before a time; one after the last when all are before it. Halves what may be, since
-- times follow the order of seq: without an index of them, which each append would pay for.
create function first_event_since(of_session uuid, since timestamptz) returns bigint language plpgsql stable as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  select seq into low from events where session_id = of_session order by seq limit 1;
  select seq + 1 into high from events where session_id = of_session order by seq desc limit 1;
  if low is null then
    return 1;
  end if;
  while low < high loop
    middle := (low + high) / 2;
    select seq, time_of_event(created_at, id) into found_seq, found_at
      from events where session_id = of_session and seq >= middle order by seq limit 1;
    if found_at >= since then
      high := middle;
    else
      low := found_seq + 1;
    end if;
  end loop;
  return low;
end
$$;

create or replace function append_taking_inputs(
  run_session uuid, run_owner text, run_epoch bigint,
  ids uuid[], types text[], bodies text[], memos text[], usage bigint[]
) returns setof events language plpgsql as $$
declare
  last bigint;
  at timestamptz;
begin
  update sessions set
    last_seq = last_seq + cardinality(ids),
    last_event_at = greatest(last_event_at, clock_timestamp()),
    status = case status when 'rescheduling' then 'running' else status end,
    input_tokens = input_tokens + usage[1],
    output_tokens = output_tokens + usage[2],
    cache_read_input_tokens = cache_read_input_tokens + usage[3],
    cache_creation_input_tokens = cache_creation_input_tokens + usage[4]
  where id = run_session and lease_owner = run_owner and lease_epoch = run_epoch and terminated_at is null
  returning last_seq, last_event_at into last, at;
  if not found then
    return;
  end if;
  return query
    with waiting as (
      select seq, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
      from events where session_id = run_session and processed_at is null and type <> 'user.interrupt'
    ), taken as (
      update events set processed_at = at
      from waiting
      where events.session_id = run_session and events.seq = waiting.seq and bytes_before < 16 * 1024 * 1024
      returning events.*
    )
    select * from taken order by seq;
  return query
    with appended as (
      insert into events (session_id, seq, id, type, body, memo, created_at, processed_at)
      select run_session, last - cardinality(ids) + draft.place, draft.id, draft.type, draft.body, draft.memo, at, at
      from unnest(ids, types, bodies, memos) with ordinality as draft (id, type, body, memo, place)
      returning *
    )
    select * from appended order by seq;
end
$$;

create or replace function begin_turn(
  run_session uuid, run_owner text, run_epoch bigint,
  event_id uuid, event_type text, event_body text, reply_types text[]
) returns table (
  status text, archived boolean, terminated boolean, deleted boolean, resting boolean,
  began_seq bigint, began_at timestamptz, messages int
) language plpgsql as $$
#variable_conflict use_column
declare
  is_due boolean;
  may_begin boolean;
begin
  select sessions.status, archived_at is not null, terminated_at is not null, deleted_at is not null,
    pending_at is null and idle_since is not null and sessions.status = 'idle',
    pending_at is not null,
    sessions.status = 'idle' and archived_at is null and terminated_at is null and deleted_at is null
      and cardinality(awaited_calls) = 0
  into begin_turn.status, begin_turn.archived, begin_turn.terminated, begin_turn.deleted, begin_turn.resting,
    is_due, may_begin
  from sessions
  where id = run_session and lease_owner = run_owner and lease_epoch = run_epoch
  for no key update;
  if not found then
    return;
  end if;
  if is_due and may_begin then
    select count(*), coalesce(bool_and(type <> 'user.interrupt' and type <> all(reply_types)), false)
      and coalesce(bool_or(type <> 'system.message'), false)
    into begin_turn.messages, may_begin
    from events where session_id = run_session and processed_at is null;
    if may_begin then
      update sessions set pending_at = null, idle_since = null, last_seq = last_seq + 1,
        last_event_at = greatest(last_event_at, clock_timestamp()),
        status = 'running', running_since = coalesce(running_since, now()), updated_at = now()
      where id = run_session returning last_seq, last_event_at into began_seq, began_at;
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      values (run_session, began_seq, event_id, event_type, event_body, began_at, began_at);
      begin_turn.status := 'running';
      return next;
      return;
    end if;
  end if;
  if is_due then
    update sessions set pending_at = null, idle_since = null where id = run_session;
  end if;
  return next;
end
$$;
