-- What a session used, by day (UTC): the sums of a session's rows are the totals in its own row. Rows outlive the session; they then have
-- another id in place of its own, one for all rows of the session, so that it can be counted but not known.
create table session_usage (
  session_id uuid not null,
  day date not null,
  -- Of the session's row before. Null: this is its first. A report counts a session at the first row in its days, without comparing ids.
  previous_day date,
  organization_id uuid not null references organizations on delete cascade,
  -- The user, or the organization where a service account created the session. Null: a user who was erased.
  owner_id uuid,
  agent_id uuid not null,
  environment_id uuid not null,
  model text not null,
  -- Those that ended that day, and how long they took.
  turns bigint not null,
  active_ms bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  primary key (session_id, day)
);

-- Triggers, so that releases that do not know the table write it too, and so that nothing is added to a session's totals without it.
create function add_session_usage() returns trigger language plpgsql as $$
declare
  today date := (now() at time zone 'utc')::date;
  ended integer := (old.running_since is not null and new.running_since is null)::integer;
begin
  update session_usage set
    turns = turns + ended,
    active_ms = active_ms + new.active_ms - old.active_ms,
    input_tokens = input_tokens + new.input_tokens - old.input_tokens,
    output_tokens = output_tokens + new.output_tokens - old.output_tokens,
    cache_read_input_tokens = cache_read_input_tokens + new.cache_read_input_tokens - old.cache_read_input_tokens,
    cache_creation_input_tokens =
      cache_creation_input_tokens + new.cache_creation_input_tokens - old.cache_creation_input_tokens
  where session_id = new.id and day = today;
  -- The lock on the session's row keeps others from inserting it meanwhile.
  if not found then
    insert into session_usage (
      session_id, day, previous_day, organization_id, owner_id, agent_id, environment_id, model, turns, active_ms, input_tokens,
      output_tokens, cache_read_input_tokens, cache_creation_input_tokens
    ) values (
      new.id, today, (select max(day) from session_usage where session_id = new.id),
      new.organization_id, new.owner_id, new.agent_id, new.environment_id,
      new.agent -> 'model' ->> 'id', ended,
      new.active_ms - old.active_ms,
      new.input_tokens - old.input_tokens,
      new.output_tokens - old.output_tokens,
      new.cache_read_input_tokens - old.cache_read_input_tokens,
      new.cache_creation_input_tokens - old.cache_creation_input_tokens
    );
  end if;
  return null;
end
$$;

-- Agents may be long, and from the first trigger on turns wait until all is done.
create temporary table session_models on commit drop as select id, agent -> 'model' ->> 'id' as model from sessions;

create trigger sessions_add_usage after update of running_since, active_ms, input_tokens, output_tokens,
    cache_read_input_tokens, cache_creation_input_tokens on sessions for each row
  when (
    old.running_since is not null and new.running_since is null
    or (old.active_ms, old.input_tokens, old.output_tokens, old.cache_read_input_tokens, old.cache_creation_input_tokens)
      <> (new.active_ms, new.input_tokens, new.output_tokens, new.cache_read_input_tokens, new.cache_creation_input_tokens)
  )
  execute function add_session_usage();

create function forget_session_of_usage() returns trigger language plpgsql as $$
declare
  other uuid := gen_random_uuid();
begin
  update session_usage set session_id = other where session_id = old.id;
  return null;
end
$$;

create trigger sessions_leave_usage after delete on sessions for each row execute function forget_session_of_usage();

-- What sessions used so far is of the day on which they last changed. Their turns were not counted.
insert into session_usage (
  session_id, day, organization_id, owner_id, agent_id, environment_id, model, turns, active_ms, input_tokens,
  output_tokens, cache_read_input_tokens, cache_creation_input_tokens
)
select sessions.id, (updated_at at time zone 'utc')::date, organization_id, owner_id, agent_id, environment_id,
  coalesce(session_models.model, agent -> 'model' ->> 'id'), 0, active_ms, input_tokens, output_tokens, cache_read_input_tokens,
  cache_creation_input_tokens
from sessions left join session_models on session_models.id = sessions.id
where (active_ms, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens) <> (0, 0, 0, 0, 0);

create index session_usage_by_organization on session_usage (organization_id, day);
create index session_usage_by_owner on session_usage (owner_id, day);
