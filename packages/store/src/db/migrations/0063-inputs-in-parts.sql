-- As before, but of inputs of more than 16 MiB it takes the first ones that have so much: none of them is lost, and the next request takes
-- others.
create or replace function append_taking_inputs(
  run_session uuid, run_owner text, run_epoch bigint,
  ids uuid[], types text[], bodies text[], memos text[], usage bigint[]
) returns setof events language plpgsql as $$
declare
  last bigint;
begin
  update sessions set
    last_seq = last_seq + cardinality(ids),
    status = case status when 'rescheduling' then 'running' else status end,
    input_tokens = input_tokens + usage[1],
    output_tokens = output_tokens + usage[2],
    cache_read_input_tokens = cache_read_input_tokens + usage[3],
    cache_creation_input_tokens = cache_creation_input_tokens + usage[4]
  where id = run_session and lease_owner = run_owner and lease_epoch = run_epoch and terminated_at is null
  returning last_seq into last;
  if not found then
    return;
  end if;
  return query
    with waiting as (
      select seq, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
      from events where session_id = run_session and processed_at is null and type <> 'user.interrupt'
    ), taken as (
      update events set processed_at = now()
      from waiting
      where events.session_id = run_session and events.seq = waiting.seq and bytes_before < 16 * 1024 * 1024
      returning events.*
    )
    select * from taken order by seq;
  return query
    with appended as (
      insert into events (session_id, seq, id, type, body, memo, processed_at)
      select run_session, last - cardinality(ids) + draft.place, draft.id, draft.type, draft.body, draft.memo, now()
      from unnest(ids, types, bodies, memos) with ordinality as draft (id, type, body, memo, place)
      returning *
    )
    select * from appended order by seq;
end
$$;
