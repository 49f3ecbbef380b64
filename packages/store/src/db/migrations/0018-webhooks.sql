-- Addresses that are told of events, and what they are to be told. Triggers write each event in the transaction of what it tells, for the
-- webhooks that are to hear of it.

create table webhooks (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text,
  description text,
  format text not null check (format in ('standard', 'slack', 'email')),
  -- Where requests go. Null for email, and for Slack, whose whole address is the secret.
  url text,
  -- Users of the organization who get the mails.
  recipient_ids uuid[] not null default '{}',
  -- Event types, `<noun>.*`, or `*`.
  enabled_events text[] not null,
  -- An envelope: the key that signs, or the address for Slack. Null for email.
  secret bytea,
  -- The key before, which signs as well until then.
  former_secret bytea,
  former_secret_until timestamptz,
  -- Events in a row that were not delivered.
  failures integer not null default 0,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('manual', 'gone', 'failing')),
  updated_at timestamptz not null default now(),
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_by_owner on webhooks (owner_id, id);
create index webhooks_by_organization on webhooks (organization_id, id);
-- For the triggers, which read it at each event.
create index webhooks_enabled on webhooks (owner_id) where disabled_at is null;

-- Events for webhooks: those to be delivered, and for thirty days what became of them. There is no foreign key, since it would lock the row
-- of a webhook in each transaction that tells of something.
create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null,
  -- The same for all webhooks that are told of the event.
  event_id uuid not null,
  event_type text not null,
  -- The object that it is about; of a pull request its session.
  object_id uuid not null,
  -- Further ids that a receiver needs to read the object.
  details jsonb not null default '{}',
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- When it is to be tried; while it is being tried, when another process may try it. Null once it is delivered or has failed.
  due_at timestamptz default now(),
  attempts integer not null default 0,
  attempted_at timestamptz,
  response_status integer,
  error text,
  check ((due_at is null) = (status <> 'pending'))
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, id);
create index webhook_deliveries_by_event_type on webhook_deliveries (webhook_id, event_type, id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null;

-- Returns a UUIDv7 of this millisecond.
create function new_uuid() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Writes an event for each webhook that is to hear of it: those of the object's owner, and if all members may see the object, those of the
-- organization. Users who are disabled hear of nothing.
create function tell_webhooks_of(
  event text, object uuid, organization uuid, owner uuid, is_for_members boolean, details jsonb default '{}'
) returns void language plpgsql as $$
declare
  owners uuid[] := array[owner, case when is_for_members then organization end];
begin
  if not exists (select from webhooks where owner_id = any(owners) and disabled_at is null) then return; end if;
  with told as materialized (select new_uuid() as id)
  insert into webhook_deliveries (id, webhook_id, event_id, event_type, object_id, details)
  select new_uuid(), webhooks.id, told.id, event, object, details
  from told, webhooks
  where owner_id = any(owners) and disabled_at is null
    and enabled_events && array[event, split_part(event, '.', 1) || '.*', '*']
    and not exists (select from users where users.id = webhooks.owner_id and users.disabled_at is not null);
end $$;

-- Tells of the row that changed. Its argument is the event's type. The row has an owner, or a vault or a deployment that has one. What is deleted together
-- with its vault is not told apart.
create function tell_webhooks() returns trigger language plpgsql as $$
declare
  object record;
  owned record;
  details jsonb := '{}';
begin
  if tg_op = 'DELETE' then object := old; else object := new; end if;
  if tg_table_name = 'vault_credentials' then
    select * into owned from vaults where id = object.vault_id;
    if not found then return null; end if;
    details := jsonb_build_object('vault_id', object.vault_id);
  elsif tg_table_name = 'deployment_runs' then
    select * into owned from deployments where id = object.deployment_id;
    details := jsonb_build_object('deployment_id', object.deployment_id);
  else
    owned := object;
  end if;
  perform tell_webhooks_of(tg_argv[0], object.id, owned.organization_id, owned.owner_id,
    owned.owner_type = 'organization' or owned.organization_access is not null, details);
  return null;
end $$;

create trigger webhooks_created after insert on agents for each row execute function tell_webhooks('agent.created');
create trigger webhooks_updated after update of version on agents for each row
  when (new.version <> old.version) execute function tell_webhooks('agent.updated');
create trigger webhooks_archived after update of archived_at on agents for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('agent.archived');
create trigger webhooks_deleted after delete on agents for each row execute function tell_webhooks('agent.deleted');

create trigger webhooks_created after insert on environments for each row execute function tell_webhooks('environment.created');
create trigger webhooks_updated after update of updated_at on environments for each row
  when (new.deleted_at is null and new.archived_at is not distinct from old.archived_at) execute function tell_webhooks('environment.updated');
create trigger webhooks_archived after update of archived_at on environments for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('environment.archived');
create trigger webhooks_emptied after update of deleted_at on environments for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function tell_webhooks('environment.deleted');
create trigger webhooks_deleted after delete on environments for each row
  when (old.deleted_at is null) execute function tell_webhooks('environment.deleted');

create trigger webhooks_created after insert on vaults for each row execute function tell_webhooks('vault.created');
create trigger webhooks_updated after update of updated_at on vaults for each row
  when (new.archived_at is not distinct from old.archived_at) execute function tell_webhooks('vault.updated');
create trigger webhooks_archived after update of archived_at on vaults for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('vault.archived');
create trigger webhooks_deleted after delete on vaults for each row execute function tell_webhooks('vault.deleted');

create trigger webhooks_created after insert on vault_credentials for each row execute function tell_webhooks('vault_credential.created');
create trigger webhooks_updated after update of updated_at on vault_credentials for each row
  when (new.archived_at is not distinct from old.archived_at) execute function tell_webhooks('vault_credential.updated');
create trigger webhooks_archived after update of archived_at on vault_credentials for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('vault_credential.archived');
create trigger webhooks_deleted after delete on vault_credentials for each row execute function tell_webhooks('vault_credential.deleted');

create trigger webhooks_created after insert on memory_stores for each row execute function tell_webhooks('memory_store.created');
create trigger webhooks_updated after update of updated_at on memory_stores for each row
  when (new.archived_at is not distinct from old.archived_at) execute function tell_webhooks('memory_store.updated');
create trigger webhooks_archived after update of archived_at on memory_stores for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('memory_store.archived');
create trigger webhooks_deleted after delete on memory_stores for each row execute function tell_webhooks('memory_store.deleted');

-- A session that is deleted is terminated in the same statement, of which only the deletion is told.
create trigger webhooks_created after insert on sessions for each row execute function tell_webhooks('session.created');
create trigger webhooks_updated after update of title, metadata, git_identity on sessions for each row
  when ((new.title, new.metadata, new.git_identity) is distinct from (old.title, old.metadata, old.git_identity))
  execute function tell_webhooks('session.updated');
create trigger webhooks_run_started after update of status on sessions for each row
  when (new.status = 'running' and old.status <> 'running') execute function tell_webhooks('session.status_run_started');
create trigger webhooks_rescheduled after update of status on sessions for each row
  when (new.status = 'rescheduling' and old.status <> 'rescheduling') execute function tell_webhooks('session.status_rescheduled');
create trigger webhooks_idled after update of status on sessions for each row
  when (new.status = 'idle' and old.status <> 'idle') execute function tell_webhooks('session.status_idled');
create trigger webhooks_requires_action after update of status on sessions for each row
  when (new.status = 'idle' and old.status <> 'idle' and new.awaited_calls <> '{}') execute function tell_webhooks('session.requires_action');
create trigger webhooks_failed after update of last_turn_ended_at on sessions for each row
  when (new.last_turn_outcome = 'retries_exhausted' and new.last_turn_ended_at is distinct from old.last_turn_ended_at)
  execute function tell_webhooks('session.failed');
create trigger webhooks_repository_failed after update of repository_failed on sessions for each row
  when (new.repository_failed and not old.repository_failed) execute function tell_webhooks('session.failed');
create trigger webhooks_terminated after update of terminated_at on sessions for each row
  when (old.terminated_at is null and new.terminated_at is not null and new.deleted_at is null)
  execute function tell_webhooks('session.status_terminated');
create trigger webhooks_archived after update of archived_at on sessions for each row
  when (old.archived_at is null and new.archived_at is not null) execute function tell_webhooks('session.archived');
create trigger webhooks_deleted after update of deleted_at on sessions for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function tell_webhooks('session.deleted');

-- Tells of the pull requests that differ from what the host said before. The first answer tells of each as opened, whatever became of it since.
create function tell_webhooks_of_pull_requests() returns trigger language plpgsql as $$
declare
  session record;
  said record;
begin
  select sessions.* into session from session_resources join sessions on sessions.id = session_id
    where session_resources.id = new.resource_id;
  for said in
    select pr -> 'number' as number, event
    from jsonb_array_elements(new.found) as present (pr)
      left join jsonb_array_elements(old.found) as past (known) on known -> 'number' = pr -> 'number',
      lateral (
        select 'pull_request.opened' as event where known is null
        union all select 'pull_request.' || (pr ->> 'state') where pr ->> 'state' in ('merged', 'closed')
          and pr ->> 'state' is distinct from known ->> 'state'
        union all select 'pull_request.updated' where known is not null and pr <> known
          and (pr ->> 'state' not in ('merged', 'closed') or pr ->> 'state' = known ->> 'state')
      ) as news
  loop
    perform tell_webhooks_of(said.event, session.id, session.organization_id, session.owner_id,
      session.owner_type = 'organization' or session.organization_access is not null,
      jsonb_build_object('resource_id', new.resource_id, 'number', said.number));
  end loop;
  return null;
end $$;
create trigger webhooks_pull_requests after update of found on session_pull_requests for each row
  when (new.found <> old.found) execute function tell_webhooks_of_pull_requests();
