-- Budgets of sessions, and what sessions cost, in nanodollars.
alter table sessions
  add column budget_nano bigint,
  -- What its model requests have cost, each at the list price of its time.
  add column list_cost_nano bigint not null default 0,
  -- The scope of the budget that stopped it, or 'resumed' when it is to continue; null when it was not stopped.
  add column budget_stop text,
  -- When it is tried again: at the end of the day (UTC) on which a limit of its owners stopped it.
  add column budget_retry_at timestamptz;
create index sessions_stopped_by_budget on sessions (organization_id) where budget_stop is not null;
create index sessions_budget_retry on sessions (budget_retry_at) where budget_retry_at is not null;

alter table session_usage add column list_cost_nano bigint not null default 0;

-- The most that requests in progress can cost. A row is written before its request, and deleted with the append that charges it.
create table spend_reservations (
  -- The event span.model_request_start.
  request_id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  lease_epoch bigint not null,
  organization_id uuid not null,
  owner_id uuid not null,
  nano bigint not null
);
create index spend_reservations_by_session on spend_reservations (session_id);
create index spend_reservations_by_organization on spend_reservations (organization_id);
create index spend_reservations_by_owner on spend_reservations (owner_id);

-- What an organization or a user spent up to a day that no request is charged to any more, so that a limit needs only the days since.
create table spend_totals (
  subject_id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  through date not null,
  nano bigint not null
);

-- As before, and the cost.
create or replace function add_session_usage() returns trigger language plpgsql as $$
declare
  today date := (now() at time zone 'utc')::date;
  ended integer := (old.running_since is not null and new.running_since is null)::integer;
  explored text;
begin
  if (old.explore_input_tokens, old.explore_output_tokens, old.explore_cache_read_input_tokens, old.explore_cache_creation_input_tokens)
    <> (new.explore_input_tokens, new.explore_output_tokens, new.explore_cache_read_input_tokens, new.explore_cache_creation_input_tokens)
  then
    explored := explore_model(new.agent);
  end if;
  update session_usage set
    turns = turns + ended,
    active_ms = active_ms + new.active_ms - old.active_ms,
    input_tokens = input_tokens + new.input_tokens - old.input_tokens,
    output_tokens = output_tokens + new.output_tokens - old.output_tokens,
    cache_read_input_tokens = cache_read_input_tokens + new.cache_read_input_tokens - old.cache_read_input_tokens,
    cache_creation_input_tokens =
      cache_creation_input_tokens + new.cache_creation_input_tokens - old.cache_creation_input_tokens,
    cache_creation_1h_input_tokens =
      cache_creation_1h_input_tokens + new.cache_creation_1h_input_tokens - old.cache_creation_1h_input_tokens,
    list_cost_nano = list_cost_nano + new.list_cost_nano - old.list_cost_nano,
    explore_model = coalesce(explored, explore_model),
    explore_input_tokens = explore_input_tokens + new.explore_input_tokens - old.explore_input_tokens,
    explore_output_tokens = explore_output_tokens + new.explore_output_tokens - old.explore_output_tokens,
    explore_cache_read_input_tokens =
      explore_cache_read_input_tokens + new.explore_cache_read_input_tokens - old.explore_cache_read_input_tokens,
    explore_cache_creation_input_tokens =
      explore_cache_creation_input_tokens + new.explore_cache_creation_input_tokens - old.explore_cache_creation_input_tokens
  where session_id = new.id and day = today;
  -- The lock on the session's row keeps others from inserting it meanwhile.
  if not found then
    insert into session_usage (
      session_id, day, previous_day, organization_id, owner_id, agent_id, environment_id, model, turns, active_ms, input_tokens,
      output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation_1h_input_tokens, list_cost_nano, explore_model,
      explore_input_tokens, explore_output_tokens,
      explore_cache_read_input_tokens, explore_cache_creation_input_tokens
    ) values (
      new.id, today, (select max(day) from session_usage where session_id = new.id),
      new.organization_id, new.owner_id, new.agent_id, new.environment_id,
      new.agent -> 'model' ->> 'id', ended,
      new.active_ms - old.active_ms,
      new.input_tokens - old.input_tokens,
      new.output_tokens - old.output_tokens,
      new.cache_read_input_tokens - old.cache_read_input_tokens,
      new.cache_creation_input_tokens - old.cache_creation_input_tokens,
      new.cache_creation_1h_input_tokens - old.cache_creation_1h_input_tokens,
      new.list_cost_nano - old.list_cost_nano,
      explored,
      new.explore_input_tokens - old.explore_input_tokens,
      new.explore_output_tokens - old.explore_output_tokens,
      new.explore_cache_read_input_tokens - old.explore_cache_read_input_tokens,
      new.explore_cache_creation_input_tokens - old.explore_cache_creation_input_tokens
    );
  end if;
  return null;
end
$$;

drop trigger sessions_add_usage on sessions;
create trigger sessions_add_usage after update of running_since, active_ms, input_tokens, output_tokens,
    cache_read_input_tokens, cache_creation_input_tokens, list_cost_nano, terminated_at on sessions for each row
  when (
    old.running_since is not null and new.running_since is null
    or (old.active_ms, old.input_tokens, old.output_tokens, old.cache_read_input_tokens, old.cache_creation_input_tokens, old.list_cost_nano)
      <> (new.active_ms, new.input_tokens, new.output_tokens, new.cache_read_input_tokens, new.cache_creation_input_tokens, new.list_cost_nano)
  )
  execute function add_session_usage();

-- Once a session is terminated, no append charges its requests in progress: they are charged at their most.
create function charge_terminated_session() returns trigger language plpgsql as $$
begin
  with ended as (delete from spend_reservations where session_id = new.id returning nano)
  select new.list_cost_nano + coalesce(sum(nano), 0) into new.list_cost_nano from ended;
  return new;
end
$$;
create trigger sessions_charge_terminated before update of terminated_at on sessions for each row
  when (old.terminated_at is null and new.terminated_at is not null) execute function charge_terminated_session();

-- Returns what an organization or a user has spent, in all or today (UTC), and what its requests in progress may cost. Those of dead runs
-- count as spent.
create function spend_of(subject uuid, is_organization boolean, is_daily boolean, out spent bigint, out reserved bigint)
language plpgsql stable as $$
declare
  today date := (now() at time zone 'utc')::date;
  organization uuid := case when is_organization then subject end;
  owner uuid := case when not is_organization then subject end;
  known_days date := '-infinity';
  known bigint := 0;
begin
  if is_daily then
    known_days := today - 1;
  else
    select through, nano into known_days, known from spend_totals where subject_id = subject;
    if not found then
      known_days := '-infinity';
      known := 0;
    end if;
  end if;
  select known + coalesce(sum(cost), 0), coalesce(sum(held), 0) into spent, reserved from (
    select list_cost_nano as cost, 0 as held from session_usage where organization_id = organization and day > known_days
    union all
    select list_cost_nano, 0 from session_usage where owner_id = owner and day > known_days
    union all
    select case when live then 0 else nano end, case when live then nano else 0 end
    from (
      select nano, sessions.lease_epoch = held.lease_epoch and coalesce(lease_until > now(), false) as live
      from (
        select * from spend_reservations where organization_id = organization
        union all
        select * from spend_reservations where owner_id = owner
      ) as held join sessions on sessions.id = held.session_id
    ) as reservation
  ) as part;
end
$$;

-- Reserves the most that a request can cost, under a lease: nothing is returned when that is lost. The smallest of all limits counts: the
-- session's budget, and those of its organization and user. What others have reserved counts as well, so that requests at the same time
-- never exceed a limit. Locks the session's row, then its organization, then its user.
-- minimum: the least that is worth a request. *_default: limits of the settings in cents, for owners without their own; null for none.
-- granted: what was reserved: worst, or all that is left if that is less. Null: nothing, because the limit of scope has less than that
-- left, or has it (waits) only once other requests have ended.
create function reserve_spend(
  run_session uuid, run_owner text, run_epoch bigint, request uuid, worst bigint, minimum bigint,
  organization_default bigint, organization_day_default bigint, user_default bigint, user_day_default bigint
) returns table (granted bigint, scope text, waits boolean) language plpgsql as $$
#variable_conflict use_column
declare
  today date := (now() at time zone 'utc')::date;
  session record;
  owner_limit record;
  used record;
  -- The least that is left of any limit: if all requests in progress cost their most, and if they cost nothing.
  room numeric;
  possible numeric;
begin
  select organization_id, owner_type, owner_id, budget_nano, list_cost_nano into session from sessions
  where id = run_session and lease_owner = run_owner and lease_epoch = run_epoch and terminated_at is null
  for no key update;
  if not found then
    return;
  end if;
  if session.budget_nano is not null then
    scope := 'session';
    select session.budget_nano - session.list_cost_nano - coalesce(sum(nano) filter (where lease_epoch <> run_epoch), 0),
      session.budget_nano - session.list_cost_nano - coalesce(sum(nano), 0)
    into possible, room from spend_reservations where session_id = run_session;
  end if;
  for owner_limit in
    select given.*, case when limits.subject_id is null then preset else limits.value end::numeric * 10000000 as most
    from (values
      (1, 'organization', session.organization_id, true, false, 'spend_cents', organization_default),
      (2, 'organization_day', session.organization_id, true, true, 'spend_cents_per_day', organization_day_default),
      (3, 'user', session.owner_id, false, false, 'spend_cents', user_default),
      (4, 'user_day', session.owner_id, false, true, 'spend_cents_per_day', user_day_default)
    ) as given (place, name_of_scope, subject, is_organization, is_daily, limit_name, preset)
    left join limits on limits.subject_id = subject and limits.name = limit_name
    where (is_organization or session.owner_type = 'user')
      and case when limits.subject_id is null then preset else limits.value end is not null
    order by place
  loop
    perform pg_advisory_xact_lock(hashtextextended('spend ' || owner_limit.subject, 0));
    if not owner_limit.is_daily and not exists (
      select from spend_totals where subject_id = owner_limit.subject and through >= today - 2
    ) then
      insert into spend_totals (subject_id, organization_id, through, nano)
      select owner_limit.subject, session.organization_id, today - 2, coalesce(sum(list_cost_nano), 0)
      from session_usage
      where day <= today - 2 and (
        owner_limit.is_organization and organization_id = owner_limit.subject
        or not owner_limit.is_organization and owner_id = owner_limit.subject
      )
      on conflict (subject_id) do update set through = excluded.through, nano = excluded.nano;
    end if;
    select * into used from spend_of(owner_limit.subject, owner_limit.is_organization, owner_limit.is_daily);
    if possible is null or owner_limit.most - used.spent < possible then
      possible := owner_limit.most - used.spent;
      scope := owner_limit.name_of_scope;
    end if;
    room := least(room, owner_limit.most - used.spent - used.reserved);
  end loop;
  if possible is null or room >= worst then
    granted := worst;
  elsif possible >= minimum and room = possible then
    granted := possible;
  end if;
  waits := granted is null and possible >= minimum;
  if granted is not null and possible is not null then
    insert into spend_reservations (request_id, session_id, lease_epoch, organization_id, owner_id, nano)
    values (request, run_session, run_epoch, session.organization_id, session.owner_id, granted);
  end if;
  return next;
end
$$;

-- As before, and not while a budget has stopped the session.
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
      and cardinality(awaited_calls) = 0 and budget_stop is null
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

-- Tells webhooks of budgets that stop sessions, and of changed ones.
create trigger webhooks_budget_reached after update of status on sessions for each row
  when (new.status = 'idle' and old.status <> 'idle' and new.last_turn_outcome = 'budget_reached')
  execute function tell_webhooks('session.budget_reached');
create trigger webhooks_budget_changed after update of budget_nano on sessions for each row
  when (new.budget_nano is distinct from old.budget_nano and (new.title, new.metadata, new.git_identity)
    is not distinct from (old.title, old.metadata, old.git_identity))
  execute function tell_webhooks('session.updated');
