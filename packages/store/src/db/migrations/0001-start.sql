-- Ids are UUIDv7 made by the application: descending id is newest first, and created_at is the id's own millisecond.
-- Every object carries its organization and its owner, so that what a principal reaches is a condition on one row.

create table organizations (
  id uuid primary key,
  name text not null unique,
  updated_at timestamptz not null default now()
);

create table users (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null unique,
  role text not null check (role in ('member', 'admin')),
  disabled_at timestamptz,
  updated_at timestamptz not null default now()
);

create table service_accounts (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  updated_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- principal_id is a user (pat) or a service account (sat). hash is SHA-256 of the secret.
create table tokens (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  kind text not null check (kind in ('pat', 'sat')),
  principal_id uuid not null,
  name text not null,
  scopes text[] not null,
  hash bytea not null unique,
  last4 text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  updated_at timestamptz not null default now()
);
create index tokens_by_owner on tokens (owner_id, id);
create index tokens_by_organization on tokens (organization_id, id);

-- Answers to requests with an Idempotency-Key, for 24 hours. fingerprint: SHA-256 of method, path and body. answer: an envelope
-- (see secrets), null with status while the first request is under way, which it is until locked_until at most.
create table idempotency_keys (
  principal_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  answer bytea,
  locked_until timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (principal_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- definition: the resolved agent of that version, without what the row of agents holds.
create table agents (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  version integer not null,
  metadata jsonb not null default '{}',
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index agents_by_owner on agents (owner_id, id);
create index agents_by_organization on agents (organization_id, id);

create table agent_versions (
  agent_id uuid not null references agents on delete cascade,
  version integer not null,
  definition json not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, version)
);

create table environments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  description text,
  config json not null,
  environment_variables json not null,
  resources json not null,
  metadata jsonb not null default '{}',
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (owner_id, name)
);
create index environments_by_owner on environments (owner_id, id);
create index environments_by_organization on environments (organization_id, id);

-- A session is due when pending_at is set. Whoever holds the lease owns its turn, its sandbox and its disk; each claim
-- raises lease_epoch, and every write of a run names the epoch, so that a run whose lease is gone writes nothing.
-- disk_host is the installation whose machine holds the disk; null when there is none.
create table sessions (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  agent_id uuid not null references agents,
  agent json not null,
  environment_id uuid not null references environments,
  environment_variables json not null default '{}',
  title text not null default '',
  metadata jsonb not null default '{}',
  status text not null default 'idle' check (status in ('idle', 'running', 'rescheduling', 'terminated')),
  last_seq bigint not null default 0,
  active_ms bigint not null default 0,
  running_since timestamptz,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_read_input_tokens bigint not null default 0,
  cache_creation_input_tokens bigint not null default 0,
  workspace_uid integer unique,
  disk_host text,
  pending_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  lease_epoch bigint not null default 0,
  archived_at timestamptz,
  terminated_at timestamptz,
  updated_at timestamptz not null default now()
);
create index sessions_by_owner on sessions (owner_id, id);
create index sessions_by_organization on sessions (organization_id, id);
create index sessions_by_agent on sessions (agent_id, id);
create index sessions_by_environment on sessions (environment_id, id);
create index sessions_due on sessions (pending_at) where pending_at is not null and lease_owner is null;
create index sessions_leased on sessions (lease_owner) where lease_owner is not null;

-- Host uids of sandboxes, so that no two workspaces on a host share one.
create sequence workspace_uids minvalue 300000 maxvalue 365535 cycle;

create table files (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  filename text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text,
  status text not null check (status in ('pending', 'ready', 'failed')),
  downloadable boolean not null default true,
  scope_session_id uuid references sessions on delete set null,
  metadata jsonb not null default '{}',
  updated_at timestamptz not null default now()
);
create index files_by_owner on files (owner_id, id);
create index files_by_organization on files (organization_id, id);
create index files_by_scope on files (scope_session_id, id) where scope_session_id is not null;

-- secret: an envelope (see secrets); repositories only. ready_at tells that it is in place on the present disk, failed_at
-- and failure that it could not be put there; it is tried again when updated_at is later, as after a new token.
create table session_resources (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  type text not null check (type in ('hosted_repository', 'file')),
  url text,
  checkout json,
  secret bytea,
  file_id uuid references files,
  mount_path text not null,
  ready_at timestamptz,
  failed_at timestamptz,
  failure text,
  updated_at timestamptz not null default now(),
  unique (session_id, mount_path),
  unique (session_id, file_id)
);
create index session_resources_by_session on session_resources (session_id, id);

-- body: the event's own fields as JSON text, without id, type, created_at and processed_at. memo: see the agent's log.
-- seq is allocated under the row lock of the session, so that its order is the order of commits.
create table events (
  session_id uuid not null references sessions on delete cascade,
  seq bigint not null,
  id uuid not null,
  type text not null,
  body text not null,
  memo text,
  processed_at timestamptz,
  primary key (session_id, seq),
  unique (session_id, id)
);
create index events_waiting on events (session_id, seq) where processed_at is null;

-- Appends for a run and marks the inputs before it as processed; answers those inputs and then what was appended, or nothing
-- when the lease is gone. A function, because each statement in it sees what was committed while the one before waited
-- for the row of the session: an input that came in meanwhile has a lower seq and must be among those taken.
-- usage: input, output, cache read and cache creation tokens to add.
create function append_taking_inputs(
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
    with taken as (
      update events set processed_at = now()
      where session_id = run_session and processed_at is null and type <> 'user.interrupt'
      returning *
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
