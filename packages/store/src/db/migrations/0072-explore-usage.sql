-- Tokens of the loops of Explore calls, which are a part of a session's totals and may be another model's.
alter table sessions
  add column explore_input_tokens bigint not null default 0,
  add column explore_output_tokens bigint not null default 0,
  add column explore_cache_read_input_tokens bigint not null default 0,
  add column explore_cache_creation_input_tokens bigint not null default 0;

alter table session_usage
  -- Null: there are none.
  add column explore_model text,
  add column explore_input_tokens bigint not null default 0,
  add column explore_output_tokens bigint not null default 0,
  add column explore_cache_read_input_tokens bigint not null default 0,
  add column explore_cache_creation_input_tokens bigint not null default 0;

-- The model of the Explore calls of an agent, as sessions keep it.
create function explore_model(agent json) returns text language sql immutable as $$
  select coalesce((
    select config ->> 'model' from json_array_elements(agent -> 'tools') as tool, json_array_elements(tool -> 'configs') as config
    where config ->> 'name' = 'Explore' limit 1
  ), agent -> 'model' ->> 'id')
$$;

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
      output_tokens, cache_read_input_tokens, cache_creation_input_tokens, explore_model, explore_input_tokens, explore_output_tokens,
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
