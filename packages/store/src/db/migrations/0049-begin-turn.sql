-- Looks at a session that a run holds, and begins a turn when messages wait and nothing else does. Answers what the holder has to act
-- on, and nothing when the lease is gone. A function, because each statement in it sees what was committed while the one before
-- waited for the row of the session: an input that came in meanwhile is counted, and its look is cleared.
-- event_id, event_type, event_body: of the event that says so. reply_types: replies of clients to calls.
-- messages: unprocessed events before it, all of which the first request takes.
create function begin_turn(
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
      began_at := now();
      update sessions set pending_at = null, idle_since = null, last_seq = last_seq + 1,
        status = 'running', running_since = coalesce(running_since, now()), updated_at = now()
      where id = run_session returning last_seq into began_seq;
      insert into events (session_id, seq, id, type, body, processed_at)
      values (run_session, began_seq, event_id, event_type, event_body, began_at);
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
