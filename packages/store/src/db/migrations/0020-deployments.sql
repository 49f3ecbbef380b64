-- The clock of schedules. Tests replace it.
create function deployment_clock() returns timestamptz language sql volatile as 'select clock_timestamp()';

-- What sessions are created from again and again.
create table deployments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  organization_access text check (organization_access = 'read'),
  -- The service account that an organization's deployment acts as. A user's acts as its owner.
  service_account_id uuid,
  name text not null,
  description text,
  agent_id uuid not null,
  -- Null for the newest at each run.
  agent_version integer,
  environment_id uuid not null,
  initial_events json not null,
  -- As given, without tokens and passwords.
  resources json not null,
  -- An envelope of them, by the resource's place; null for none.
  resource_secrets bytea,
  vault_ids uuid[] not null,
  environment_variables json not null,
  -- Nanodollars that each session may cost; null for no limit.
  budget_nano bigint,
  metadata jsonb not null,
  schedule jsonb,
  -- The slot that ran last.
  last_run_at timestamptz,
  -- The next slot, and when it starts, some seconds later where many have the same one. Null for none.
  next_run_at timestamptz,
  start_at timestamptz,
  paused_reason jsonb,
  -- Runs in a row with an error that time does not heal.
  failures integer not null default 0,
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index deployments_by_owner on deployments (owner_id, id);
create index deployments_by_organization on deployments (organization_id, id);
create index deployments_current_by_owner on deployments (owner_id, id) where archived_at is null;
create index deployments_current_by_organization on deployments (organization_id, id) where archived_at is null;
create index deployments_shared on deployments (organization_id, id) where organization_access is not null;
create index deployments_current_shared on deployments (organization_id, id)
  where organization_access is not null and archived_at is null;
create index deployments_by_start on deployments (start_at) where start_at is not null;
create index deployments_by_slot on deployments (next_run_at) where next_run_at is not null;
create trigger forget_shares after delete on deployments for each row execute function forget_shares();

create table deployment_runs (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  agent_id uuid not null,
  agent_version integer,
  -- The session may have been deleted since.
  session_id uuid,
  error_type text,
  error_message text,
  trigger_type text not null,
  -- The slot; null for a run that no schedule made.
  scheduled_at timestamptz,
  -- What lists filter by, in one column.
  outcome text generated always as (trigger_type || case when error_type is null then ' done' else ' failed' end) stored,
  check (session_id is null or error_type is null)
);
create unique index deployment_runs_by_slot on deployment_runs (deployment_id, scheduled_at);
create index deployment_runs_by_deployment on deployment_runs (deployment_id, id);
create index deployment_runs_by_owner on deployment_runs (owner_id, id);
create index deployment_runs_by_organization on deployment_runs (organization_id, id);
create index deployment_runs_by_deployment_outcome on deployment_runs (deployment_id, outcome, id);
create index deployment_runs_by_owner_outcome on deployment_runs (owner_id, outcome, id);
create index deployment_runs_by_organization_outcome on deployment_runs (organization_id, outcome, id);

-- The deployment that created a session.
alter table sessions add column deployment_id uuid;
create index sessions_by_deployment on sessions (deployment_id, id) where deployment_id is not null;
create index sessions_current_by_deployment on sessions (deployment_id, id)
  where deployment_id is not null and archived_at is null;

-- What webhooks hear of deployments and their runs.
create trigger webhooks_created after insert on deployments for each row execute function tell_webhooks('deployment.created');
create trigger webhooks_updated after update of updated_at on deployments for each row
  when (new.updated_at <> old.updated_at and new.archived_at is not distinct from old.archived_at
    and new.paused_reason is not distinct from old.paused_reason)
  execute function tell_webhooks('deployment.updated');
create trigger webhooks_paused after update of paused_reason on deployments for each row
  when (old.paused_reason is null and new.paused_reason is not null) execute function tell_webhooks('deployment.paused');
create trigger webhooks_unpaused after update of paused_reason on deployments for each row
  when (old.paused_reason is not null and new.paused_reason is null) execute function tell_webhooks('deployment.unpaused');
create trigger webhooks_archived after update of archived_at on deployments for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('deployment.archived');
create trigger webhooks_started after insert on deployment_runs for each row
  when (new.session_id is not null) execute function tell_webhooks('deployment_run.started');
create trigger webhooks_failed after insert on deployment_runs for each row
  when (new.error_type is not null) execute function tell_webhooks('deployment_run.failed');
