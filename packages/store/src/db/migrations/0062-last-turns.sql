-- last_turn_outcome: why the last turn of a session ended, as its session.status_idle says, or 'terminated'; 'none' before the first one
-- has ended.
alter table sessions add column last_turn_outcome text not null default 'none';
alter table sessions add column last_turn_ended_at timestamptz;

update sessions set last_turn_outcome = ended.outcome, last_turn_ended_at = ended.at
from (
  select sessions.id, last.outcome, last.at from sessions cross join lateral (
    select body::json -> 'stop_reason' ->> 'type' as outcome, coalesce(processed_at, sessions.updated_at) as at
    from events where session_id = sessions.id and type = 'session.status_idle' order by seq desc limit 1
  ) as last
) as ended
where sessions.id = ended.id and ended.outcome is not null;

-- A release that does not know the columns ends turns without them. One that does has written them in the same transaction.
create function note_end_of_turn() returns trigger language plpgsql as $$
begin
  update sessions set last_turn_outcome = coalesce(new.body::json -> 'stop_reason' ->> 'type', last_turn_outcome),
    last_turn_ended_at = now()
  where id = new.session_id and last_turn_ended_at is distinct from now();
  return null;
end
$$;
create trigger events_end_turn after insert on events for each row
  when (new.type = 'session.status_idle') execute function note_end_of_turn();

-- Sessions by last activity, by outcome, and by both. A session is in one of each pair: lists without archived ones cost what they show.
create index sessions_current_by_owner_activity on sessions (owner_id, updated_at, id) where archived_at is null;
create index sessions_archived_by_owner_activity on sessions (owner_id, updated_at, id) where archived_at is not null;
create index sessions_current_by_organization_activity on sessions (organization_id, updated_at, id) where archived_at is null;
create index sessions_archived_by_organization_activity on sessions (organization_id, updated_at, id) where archived_at is not null;

create index sessions_current_by_owner_outcome on sessions (owner_id, last_turn_outcome, id)
  where archived_at is null and status = 'idle';
create index sessions_archived_by_owner_outcome on sessions (owner_id, last_turn_outcome, id)
  where archived_at is not null and status = 'idle';
create index sessions_current_by_organization_outcome on sessions (organization_id, last_turn_outcome, id)
  where archived_at is null and status = 'idle';
create index sessions_archived_by_organization_outcome on sessions (organization_id, last_turn_outcome, id)
  where archived_at is not null and status = 'idle';

create index sessions_current_by_owner_outcome_activity on sessions (owner_id, last_turn_outcome, updated_at, id)
  where archived_at is null and status = 'idle';
create index sessions_archived_by_owner_outcome_activity on sessions (owner_id, last_turn_outcome, updated_at, id)
  where archived_at is not null and status = 'idle';
create index sessions_current_by_organization_outcome_activity on sessions (organization_id, last_turn_outcome, updated_at, id)
  where archived_at is null and status = 'idle';
create index sessions_archived_by_organization_outcome_activity on sessions (organization_id, last_turn_outcome, updated_at, id)
  where archived_at is not null and status = 'idle';

-- A clone of a repository has failed, and none is being tried. Follows from its resources; kept so that such sessions, which are few, are
-- found without reading the others.
alter table sessions add column repository_failed boolean not null default false;
update sessions set repository_failed = true
where id in (select session_id from session_resources where url is not null and ready_at is null and failed_inputs is not null);

create function note_failed_repository() returns trigger language plpgsql as $$
declare
  failed boolean := exists (
    select from session_resources
    where session_id = new.session_id and url is not null and ready_at is null and failed_inputs is not null
  );
begin
  update sessions set repository_failed = failed where id = new.session_id and repository_failed <> failed;
  return null;
end
$$;
create trigger session_resources_note_failure after update of ready_at, failed_inputs on session_resources for each row
  when (
    new.url is not null
    and (old.ready_at is null and old.failed_inputs is not null) <> (new.ready_at is null and new.failed_inputs is not null)
  )
  execute function note_failed_repository();

create index sessions_repository_failed_by_owner on sessions (owner_id, id) where repository_failed;
create index sessions_repository_failed_by_organization on sessions (organization_id, id) where repository_failed;
create index sessions_repository_failed_by_owner_activity on sessions (owner_id, updated_at, id) where repository_failed;
create index sessions_repository_failed_by_organization_activity on sessions (organization_id, updated_at, id)
  where repository_failed;
