-- When the session of a run first ended a turn by itself; null before that. Only runs with a session have it.
alter table deployment_runs add column succeeded_at timestamptz;
create index deployment_runs_unfinished on deployment_runs (session_id) where session_id is not null and succeeded_at is null;

-- Notes the success of a run in the transaction in which its session becomes idle.
create function note_run_success() returns trigger language plpgsql as $$
begin
  update deployment_runs set succeeded_at = new.last_turn_ended_at where session_id = new.id and succeeded_at is null;
  return null;
end $$;
create trigger sessions_note_run_success after update of last_turn_ended_at on sessions for each row
  when (new.deployment_id is not null and new.status = 'idle' and new.last_turn_outcome = 'end_turn'
    and new.last_turn_ended_at is distinct from old.last_turn_ended_at)
  execute function note_run_success();
create trigger webhooks_succeeded after update of succeeded_at on deployment_runs for each row
  when (old.succeeded_at is null and new.succeeded_at is not null) execute function tell_webhooks('deployment_run.succeeded');

-- How sessions follow their pull requests, as the API takes it; null for not at all.
alter table deployments add column follow jsonb;
