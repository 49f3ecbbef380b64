-- The schema of release 0.1.0, room by room. The rooms: accounts, requests, agents and environments, skills, vaults, memory stores,
-- sessions, files, hosts, repositories, disks, egress, usage, installation.
--
-- Ids are UUIDv7 made by the application: descending id is newest first, and created_at is the id's own millisecond. An object has
-- its organization and its owner, so that what a principal may reach is a condition on one row. A secret is stored as an envelope, which
-- only the key of the installation opens.


-- Accounts

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
create index users_by_organization on users (organization_id, id);

-- Accounts of programs, which own nothing: what they create belongs to the organization.
create table service_accounts (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  disabled_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (organization_id, name)
);
create index service_accounts_by_organization on service_accounts (organization_id, id);
create index service_accounts_by_name on service_accounts (name);

-- Tokens of users (pat), of service accounts (sat), and sign-ins to the console (console), whose secret is good as a cookie only.
create table tokens (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  kind text not null constraint tokens_kind_check check (kind in ('pat', 'sat', 'console')),
  -- The user or the service account.
  principal_id uuid not null,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the secret.
  hash bytea not null unique,
  last4 text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- The token that created this one; null: the operator did. Unless this one is independent, it is revoked with its parent.
  parent_id uuid references tokens,
  independent boolean not null default false,
  -- How the user signed in to the console; null for other tokens.
  signed_in_by text check (signed_in_by in ('token', 'link', 'oidc')),
  updated_at timestamptz not null default now(),
  constraint tokens_signed_in_check check (num_nulls(signed_in_by) = (kind <> 'console')::int)
);
create index tokens_by_owner on tokens (owner_id, id);
create index tokens_by_organization on tokens (organization_id, id);
create index tokens_by_parent on tokens (parent_id) where parent_id is not null;
-- For the sweep of sign-ins that ended.
create index tokens_console_expiry on tokens (expires_at) where kind = 'console';

-- Tokens of the operator, who belongs to no organization. They are good for /api/v1/admin alone.
create table operator_tokens (
  id uuid primary key,
  name text not null,
  -- SHA-256 of the secret.
  hash bytea not null unique,
  last4 text not null,
  -- The token that created this one; null: it was created on the machine of the installation.
  parent_id uuid references operator_tokens,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_tokens_by_parent on operator_tokens (parent_id) where parent_id is not null;

-- Which user an account at an identity provider is.
create table user_identities (
  issuer text not null,
  -- The account's id there.
  subject text not null,
  user_id uuid not null references users on delete cascade,
  primary key (issuer, subject),
  unique (user_id, issuer)
);

-- Sign-ins that an identity provider has been asked for. Deleted when the browser comes back, and within about an hour.
create table oidc_requests (
  -- SHA-256 of the secret that the browser has as a cookie; state, nonce and code verifier are derived from the secret.
  secret_hash bytea primary key,
  -- Where in the console the browser is sent in the end.
  return_to text not null,
  -- The client's address; of IPv6 its network. Open rows are limited by it.
  client_network text not null,
  expires_at timestamptz not null
);

-- Links that sign in to the console, each once. They are deleted within about an hour, and have no foreign keys, so that they keep
-- nothing from being deleted.
create table console_links (
  -- SHA-256 of the code in the link.
  code_hash bytea primary key,
  -- The token that created the link, and whose sign-in it gives.
  token_id uuid not null,
  expires_at timestamptz not null
);

-- Logins that wait until a user approves them elsewhere. Nobody owns a row before that. A row is deleted within about an hour, and has
-- no foreign keys, so that it keeps nothing from being deleted.
create table device_authorizations (
  id uuid primary key,
  -- SHA-256 of the code that the device polls with.
  device_code_hash bytea not null unique,
  -- HMAC of the short code that the user types, with a key of the installation: a plain hash of it could be guessed.
  user_code_hash bytea not null unique,
  -- In the client's own words.
  client_name text,
  client_address text not null,
  -- The address; of IPv6 its network. Open rows are limited by it.
  client_network text not null,
  scopes text[] not null,
  -- used: the token was given.
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'used')),
  expires_at timestamptz not null,
  -- Between two polls, at least.
  interval_seconds int not null default 5,
  polled_at timestamptz,
  -- Of the user whose token it becomes.
  organization_id uuid,
  user_id uuid,
  -- The token with which the user approved; null: the operator did.
  approved_with uuid,
  granted_scopes text[],
  check (status not in ('approved', 'used')
    or (organization_id is not null and user_id is not null and granted_scopes is not null))
);


-- Requests

-- Responses to requests with an Idempotency-Key, kept for 24 hours by the transaction that did the work. A key belongs to the token that
-- sent it, since tokens of one principal differ in scopes.
create table idempotency_keys (
  token_id uuid not null,
  key text not null,
  status integer not null,
  -- An envelope of the response and of what the request was. A bare hash of a request's body would let whoever has a copy of the
  -- database try passwords.
  answer bytea not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (token_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Who changed what, and from where: one row for each request that changed something and for each command of an administrator, written
-- in the transaction of the change. Rows have ids and the names of operations, nothing that was written or said. They have no foreign
-- keys: what they name may be deleted.
create table audit_entries (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- Null for a command of an administrator that is not about one organization.
  organization_id uuid,
  -- operator: an administrator on the installation's machine. service: Berth itself, as its settings say.
  actor_type text not null
    constraint audit_entries_actor_type_check check (actor_type in ('user', 'service_account', 'operator', 'service')),
  actor_id uuid,
  token_id uuid,
  -- Of the API (agents.create), or of the command (admin users disable).
  operation text not null,
  -- As the API shows them, the outer one first: of the path, then of what was created.
  resources text[] not null,
  -- Address of the client; for an administrator the name of the machine's user.
  client text not null,
  -- The first product of the client's User-Agent.
  user_agent text,
  request_id text
);
create index audit_entries_organization on audit_entries (organization_id, id);
create index audit_entries_resources on audit_entries using gin (resources);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log can only be appended to.';
end $$;

create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  execute function refuse_audit_change();

-- What an organization or one of its users may have or do, where it differs from the settings.
create table limits (
  -- The organization or the user.
  subject_id uuid not null,
  organization_id uuid not null references organizations,
  name text not null,
  -- Null: no limit.
  value bigint check (value >= 0),
  primary key (subject_id, name)
);

-- For how many days an organization keeps its sessions, the events of sessions that have ended, and its files, where it differs from the
-- settings.
create table retention (
  organization_id uuid not null references organizations,
  name text not null check (name in ('sessions', 'events', 'files')),
  -- Null: without end.
  days integer check (days >= 1),
  primary key (organization_id, name)
);

-- What was asked to be erased: a user or an organization, with all that belongs to it. There are no foreign keys: what a row names is
-- deleted.
create table erasures (
  id uuid primary key,
  subject_type text not null check (subject_type in ('user', 'organization')),
  subject_id uuid not null unique,
  organization_id uuid not null,
  -- How many rows of each kind are gone.
  deleted jsonb not null default '{}',
  -- Uuids of the user's agents and environments that sessions of others use. They belong to the organization now.
  handed_over jsonb not null default '[]',
  completed_at timestamptz
);

-- Contents of files and skills that were erased, until each is removed or is known to be another's, too.
create table erased_contents (
  erasure_id uuid not null references erasures,
  sha256 text not null,
  primary key (erasure_id, sha256)
);


-- Agents and environments. An index with `current` in its name is for lists without archived objects: a page of them costs what it
-- shows, however much is archived.

create table agents (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  version integer not null,
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index agents_by_owner on agents (owner_id, id);
create index agents_by_organization on agents (organization_id, id);
create index agents_current_by_owner on agents (owner_id, id) where archived_at is null;
create index agents_current_by_organization on agents (organization_id, id) where archived_at is null;

-- Every version of an agent, as it was created.
create table agent_versions (
  agent_id uuid not null references agents on delete cascade,
  version integer not null,
  -- The resolved agent, without what other columns have.
  definition json not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (agent_id, version)
);

-- Environments. One that was deleted stays, empty, for the terminated sessions that name it; its name is free.
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
  -- Where the secrets of repositories are: in the sandbox or outside.
  credentials text not null default 'inject' check (credentials in ('inject', 'proxy')),
  -- Null: the image of the installation.
  image text,
  -- Author and committer of commits, {name, email, co_authored_by}; null: what the agent's definition or the token's account says.
  git_identity jsonb,
  -- How long sessions have their disk.
  workspace text not null default 'persistent' check (workspace in ('persistent', 'ephemeral')),
  -- Of the pods of sandboxes; null: the operator's.
  runtime_class text,
  metadata jsonb not null default '{}',
  archived_at timestamptz,
  deleted_at timestamptz,
  updated_at timestamptz not null default now()
);
create unique index environments_by_name on environments (owner_id, name) where deleted_at is null;
create index environments_by_owner on environments (owner_id, id);
create index environments_by_organization on environments (organization_id, id);
create index environments_current_by_owner on environments (owner_id, id) where archived_at is null;
create index environments_current_by_organization on environments (organization_id, id) where archived_at is null;


-- Skills

-- Skills. Names of archived ones are taken.
create table skills (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  display_title text,
  metadata jsonb not null default '{}',
  -- The highest number that a version was ever given.
  last_version integer not null,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint skills_by_name unique (owner_id, name)
);
create index skills_by_owner on skills (owner_id, id);
create index skills_by_organization on skills (organization_id, id);
create index skills_current_by_owner on skills (owner_id, id) where archived_at is null;
create index skills_current_by_organization on skills (organization_id, id) where archived_at is null;

-- Versions of skills. Their files are one content, one after the other.
create table skill_versions (
  id uuid primary key,
  skill_id uuid not null references skills on delete cascade,
  version integer not null,
  description text not null,
  -- Of the content.
  sha256 text not null,
  size_bytes bigint not null,
  -- [{path, offset, size_bytes, executable}]
  files json not null,
  unique (skill_id, version)
);
create index skill_versions_by_skill on skill_versions (skill_id, id);
create index skill_versions_by_content on skill_versions (sha256);

-- The skills of the newest version of each agent.
create table agent_skills (
  agent_id uuid not null references agents on delete cascade,
  skill_id uuid not null references skills on delete cascade,
  -- Null: the newest when a session is created.
  version integer,
  primary key (agent_id, skill_id)
);
create index agent_skills_by_skill on agent_skills (skill_id);


-- Vaults

create table vaults (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  display_name text not null,
  metadata jsonb not null default '{}',
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index vaults_by_owner on vaults (owner_id, id);
create index vaults_by_organization on vaults (organization_id, id);
create index vaults_current_by_owner on vaults (owner_id, id) where archived_at is null;
create index vaults_current_by_organization on vaults (organization_id, id) where archived_at is null;

-- Secrets of vaults.
create table vault_credentials (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  type text not null check (type in ('static_bearer', 'environment_variable')),
  display_name text,
  -- The mcp_server_url of a static_bearer, the secret_name of an environment_variable.
  target text not null,
  allowed_hosts text[] not null default '{}',
  metadata jsonb not null default '{}',
  -- An envelope, destroyed when the credential is archived.
  secret bytea,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  check ((secret is null) = (archived_at is not null))
);
create index vault_credentials_by_vault on vault_credentials (vault_id, id);
create index vault_credentials_current_by_vault on vault_credentials (vault_id, id) where archived_at is null;
create unique index vault_credentials_by_target on vault_credentials (vault_id, type, target) where archived_at is null;


-- Memory stores

create table memory_stores (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  description text,
  metadata jsonb not null default '{}',
  -- Counts the changes of the store's memories, under the lock of this row.
  last_version bigint not null default 0,
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index memory_stores_by_owner on memory_stores (owner_id, id);
create index memory_stores_by_organization on memory_stores (organization_id, id);
create index memory_stores_current_by_owner on memory_stores (owner_id, id) where archived_at is null;
create index memory_stores_current_by_organization on memory_stores (organization_id, id) where archived_at is null;

-- The memories of each store, as they are now.
create table memories (
  id uuid primary key,
  memory_store_id uuid not null references memory_stores on delete cascade,
  version_id uuid not null,
  path text collate "C" not null,
  content text not null,
  content_sha256 text not null,
  size_bytes integer not null,
  updated_at timestamptz not null default now(),
  unique (memory_store_id, path)
);
create index memories_by_store on memories (memory_store_id, id);

-- Each change of a memory, also after the memory was deleted.
create table memory_versions (
  id uuid primary key,
  memory_store_id uuid not null references memory_stores on delete cascade,
  memory_id uuid not null,
  operation text not null check (operation in ('created', 'modified', 'deleted')),
  path text,
  content text,
  content_sha256 text,
  size_bytes integer,
  -- As the API shows it; so is redacted_by.
  created_by json not null,
  -- Of created_by. The session may be gone.
  session_id uuid,
  redacted_at timestamptz,
  redacted_by json
);
create index memory_versions_by_store on memory_versions (memory_store_id, id);
create index memory_versions_by_memory on memory_versions (memory_id, id);
create index memory_versions_by_session on memory_versions (session_id, id) where session_id is not null;


-- Sessions

-- Host uids of sandboxes, so that no two workspaces on a host share one. Those of repository_uids and warm_uids are above.
create sequence workspace_uids minvalue 300000 maxvalue 365535 cycle;

-- Sessions. A session is due when pending_at is set. Whoever holds the lease owns its turn, its sandbox and its disk. Each claim raises
-- lease_epoch, and every write of a run names the epoch, so that a run whose lease is gone writes nothing.
create table sessions (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,

  -- What it was created with: the agent as it was then, and the environment that it uses.
  agent_id uuid not null references agents,
  agent json not null,
  environment_id uuid not null references environments,
  environment_variables json not null default '{}',
  -- In the order in which they were given. Who gives a vault to a session locks the vault's row.
  vault_ids uuid[] not null default '{}',
  -- Null: what the environment, the agent or the token's account says.
  git_identity jsonb,
  -- The placeholders of the session's secrets come from it, the same as long as the session lives. It is no secret: a placeholder is
  -- worth nothing outside of the session's own sandbox.
  placeholder_seed uuid not null default gen_random_uuid(),
  -- The form of what the session's model is sent before the history. It stays the same bytes.
  prefix_version smallint not null default 1,
  title text not null default '',
  metadata jsonb not null default '{}',

  -- Its state.
  status text not null default 'idle' check (status in ('idle', 'running', 'rescheduling', 'terminated')),
  running_since timestamptz,
  -- When its lease was given back with nothing to do; null from when something makes it due until then.
  idle_since timestamptz default now(),
  -- Why the last turn ended, as its session.status_idle says, or 'terminated'; 'none' before the first one has ended.
  last_turn_outcome text not null default 'none',
  last_turn_ended_at timestamptz,
  -- Events that announced calls for which a client has neither confirmation nor result to send yet. Follows from the log; kept so that of
  -- two answers to a call one is taken, decided under the lock of this row.
  awaited_calls uuid[] not null default '{}',
  -- A clone of a repository has failed, and none is being tried. Follows from its resources; kept so that such sessions, which are few,
  -- are found without reading the others.
  repository_failed boolean not null default false,
  archived_at timestamptz,
  terminated_at timestamptz,
  -- A deleted session is gone for all readers. Its row stays until a worker of the place that has its disk has removed that, and goes
  -- then, with everything that belongs to it.
  deleted_at timestamptz,
  -- When the events of the session, which has ended, were deleted.
  events_deleted_at timestamptz,

  -- Its log: the last event's number, and its time.
  last_seq bigint not null default 0,
  last_event_at timestamptz,
  -- When the history of a session that waits for its user is to be summarised: shortly before its model's provider drops it from its
  -- cache.
  summary_due_at timestamptz,

  -- Who runs it.
  pending_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  lease_epoch bigint not null default 0,
  -- How often in a row the process that ran the session's turn crashed or froze. A turn that ends makes it 0.
  runner_crashes integer not null default 0,
  -- The lease under which a session with crashes has begun its turn.
  trial_epoch bigint,
  -- Since when no turn of it is run.
  set_aside_at timestamptz,
  -- The span of the request that last made the session due, as the header traceparent says it: its turn is a part of that trace.
  traceparent text,

  -- Its disk. It is at a place, such as `local:<installation>` for the data directory of one machine. Only processes of that place use
  -- the disk, so only they run the session, until no host of the place has been seen for long. Null: there is no disk.
  home text,
  workspace_uid integer unique,
  -- The name of the disk; null: it is named after the session, or there is none.
  disk text,
  -- The disk was made when the environment said that it is ephemeral. It is removed once the session rests, if the environment still
  -- says so.
  disk_ephemeral boolean not null default false,
  -- The disk is made of a volume snapshot and not yet what the session's own credentials may see. Such a disk is never gone on with.
  disk_unverified boolean not null default false,
  -- A sandbox was open since the outputs were last collected in whole.
  outputs_due boolean not null default false,

  -- What it used so far. The trigger sessions_add_usage adds each change to session_usage.
  active_ms bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_read_input_tokens bigint not null default 0,
  cache_creation_input_tokens bigint not null default 0,
  -- Of cache_creation_input_tokens, those that the provider keeps for an hour, which cost more.
  cache_creation_1h_input_tokens bigint not null default 0,
  -- Of the totals, those of Explore calls, which may be another model's.
  explore_input_tokens bigint not null default 0,
  explore_output_tokens bigint not null default 0,
  explore_cache_read_input_tokens bigint not null default 0,
  explore_cache_creation_input_tokens bigint not null default 0,

  -- What compactions did, in tokens; the sums of `compaction` in the API are made of them.
  compactions integer not null default 0,
  -- By the newest compaction: the estimated tokens of the context before it, less those after it.
  compaction_removed_tokens bigint not null default 0,
  -- Those, once for each request that was answered since.
  compaction_avoided_tokens bigint not null default 0,
  -- Of the contexts that the compactions left.
  compaction_left_tokens bigint not null default 0,
  -- Of the requests that wrote the summaries.
  summary_input_tokens bigint not null default 0,
  summary_output_tokens bigint not null default 0,
  summary_cache_read_input_tokens bigint not null default 0,
  summary_cache_creation_input_tokens bigint not null default 0,

  updated_at timestamptz not null default now()
);

-- For lists: of an owner and of an organization, by id and by last activity, of all sessions, by status and by the last outcome.
create index sessions_by_owner on sessions (owner_id, id);
create index sessions_by_organization on sessions (organization_id, id);
create index sessions_by_agent on sessions (agent_id, id);
create index sessions_by_environment on sessions (environment_id, id);
create index sessions_by_vault on sessions using gin (vault_ids) where vault_ids <> '{}';
create index sessions_by_owner_status on sessions (owner_id, status, id);
create index sessions_by_organization_status on sessions (organization_id, status, id);

create index sessions_current_by_owner on sessions (owner_id, id) where archived_at is null;
create index sessions_current_by_organization on sessions (organization_id, id) where archived_at is null;
create index sessions_current_by_agent on sessions (agent_id, id) where archived_at is null;
create index sessions_current_by_environment on sessions (environment_id, id) where archived_at is null;
create index sessions_current_by_owner_status on sessions (owner_id, status, id) where archived_at is null;
create index sessions_current_by_organization_status on sessions (organization_id, status, id) where archived_at is null;

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

-- For lists of sessions that need somebody, which are few: found without reading the others.
create index sessions_requiring_action_by_owner on sessions (owner_id, id) where awaited_calls <> '{}';
create index sessions_requiring_action_by_organization on sessions (organization_id, id) where awaited_calls <> '{}';
create index sessions_repository_failed_by_owner on sessions (owner_id, id) where repository_failed;
create index sessions_repository_failed_by_organization on sessions (organization_id, id) where repository_failed;
create index sessions_repository_failed_by_owner_activity on sessions (owner_id, updated_at, id) where repository_failed;
create index sessions_repository_failed_by_organization_activity on sessions (organization_id, updated_at, id)
  where repository_failed;
create index sessions_set_aside_by_owner on sessions (owner_id, id) where set_aside_at is not null;
create index sessions_set_aside_by_organization on sessions (organization_id, id) where set_aside_at is not null;
create index sessions_set_aside_by_owner_activity on sessions (owner_id, updated_at, id) where set_aside_at is not null;
create index sessions_set_aside_by_organization_activity on sessions (organization_id, updated_at, id)
  where set_aside_at is not null;

-- For workers: what is due (also owner by owner, however much one of them has due), what is held, and whose disk may go.
create index sessions_due on sessions (pending_at) where pending_at is not null and lease_owner is null;
create index sessions_due_by_owner on sessions (organization_id, owner_id, pending_at)
  where pending_at is not null and lease_owner is null;
create index sessions_leased on sessions (lease_owner) where lease_owner is not null;
create index sessions_set_aside on sessions (set_aside_at) where set_aside_at is not null;
create index sessions_summary_due on sessions (summary_due_at) where summary_due_at is not null;
create index sessions_reclaimable on sessions (home, idle_since)
  where home is not null and lease_owner is null and pending_at is null;
create index sessions_with_ephemeral_disks on sessions (home, idle_since)
  where disk_ephemeral and home is not null and lease_owner is null and pending_at is null;
create unique index sessions_with_named_disks on sessions (disk) where disk is not null;

-- The skills that a session was created with. Rows of sessions that have ended keep no version from being deleted.
create table session_skills (
  session_id uuid not null references sessions on delete cascade,
  skill_version_id uuid not null references skill_versions on delete cascade,
  primary key (session_id, skill_version_id)
);
create index session_skills_by_version on session_skills (skill_version_id);

-- What an MCP server offered when the session first asked it; the same as long as the session lives, unless it is asked again.
create table session_mcp_tools (
  session_id uuid not null references sessions on delete cascade,
  server_name text not null,
  tools json not null,
  -- What the server says of its use, as the system prompt has it; null for none.
  instructions text,
  -- The server is asked for its tools again by the next turn.
  is_stale boolean not null default false,
  -- How often it was asked again.
  times_asked int not null default 0,
  discovered_at timestamptz not null default now(),
  primary key (session_id, server_name)
);

-- The log of each session. seq is allocated under the row lock of the session, so that its order is the order of commits.
create table events (
  session_id uuid not null references sessions on delete cascade,
  seq bigint not null,
  id uuid not null,
  type text not null,
  -- The event's own fields as JSON text, without id, type, created_at and processed_at.
  body text not null,
  -- What the agent's loop remembers with the event.
  memo text,
  -- By the clock of the database, and in a session never before that of the event before.
  created_at timestamptz not null default clock_timestamp(),
  processed_at timestamptz,
  primary key (session_id, seq),
  unique (session_id, id)
);
create index events_waiting on events (session_id, seq) where processed_at is null;

-- Returns the seq from which on the events of a session are not before a time; one after the last when all are before it. Halves what may
-- be, since times follow the order of seq: without an index of them, which each append would pay for.
create function first_event_since(of_session uuid, since timestamptz) returns bigint language plpgsql stable as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  select seq into low from events where session_id = of_session order by seq limit 1;
  select seq + 1 into high from events where session_id = of_session order by seq desc limit 1;
  if low is null then
    return 1;
  end if;
  while low < high loop
    middle := (low + high) / 2;
    select seq, created_at into found_seq, found_at
      from events where session_id = of_session and seq >= middle order by seq limit 1;
    if found_at >= since then
      high := middle;
    else
      low := found_seq + 1;
    end if;
  end loop;
  return low;
end
$$;

-- Appends events for a run and marks the inputs before them as processed. Returns those inputs and then what was appended, or nothing
-- when the lease is gone. Of inputs of more than 16 MiB it takes the first ones that have so much; the next request takes others. A
-- function, because each statement in it sees what was committed while the one before waited for the row of the session: an input that
-- came in meanwhile has a lower seq and must be among those taken.
-- usage: input, output, cache read and cache creation tokens to add, those of them cached for an hour, and the answers to count for the newest
-- compaction.
create function append_taking_inputs(
  run_session uuid, run_owner text, run_epoch bigint,
  ids uuid[], types text[], bodies text[], memos text[], usage bigint[]
) returns setof events language plpgsql as $$
declare
  last bigint;
  at timestamptz;
begin
  update sessions set
    last_seq = last_seq + cardinality(ids),
    last_event_at = greatest(last_event_at, clock_timestamp()),
    status = case status when 'rescheduling' then 'running' else status end,
    input_tokens = input_tokens + usage[1],
    output_tokens = output_tokens + usage[2],
    cache_read_input_tokens = cache_read_input_tokens + usage[3],
    cache_creation_input_tokens = cache_creation_input_tokens + usage[4],
    cache_creation_1h_input_tokens = cache_creation_1h_input_tokens + usage[5],
    compaction_avoided_tokens = compaction_avoided_tokens + usage[6] * compaction_removed_tokens,
    summary_due_at = case when 'span.model_request_end' = any(types) then null else summary_due_at end
  where id = run_session and lease_owner = run_owner and lease_epoch = run_epoch and terminated_at is null
  returning last_seq, last_event_at into last, at;
  if not found then
    return;
  end if;
  return query
    with waiting as (
      select seq, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
      from events where session_id = run_session and processed_at is null and type <> 'user.interrupt'
    ), taken as (
      update events set processed_at = at
      from waiting
      where events.session_id = run_session and events.seq = waiting.seq and bytes_before < 16 * 1024 * 1024
      returning events.*
    )
    select * from taken order by seq;
  return query
    with appended as (
      insert into events (session_id, seq, id, type, body, memo, created_at, processed_at)
      select run_session, last - cardinality(ids) + draft.place, draft.id, draft.type, draft.body, draft.memo, at, at
      from unnest(ids, types, bodies, memos) with ordinality as draft (id, type, body, memo, place)
      returning *
    )
    select * from appended order by seq;
end
$$;

-- Looks at a session that a run holds, and begins a turn when messages wait and nothing else does. Returns what the holder has to act on,
-- and nothing when the lease is gone. A function, because each statement in it sees what was committed while the one before waited for
-- the row of the session: an input that came in meanwhile is counted, and its look is cleared.
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

-- The files that messages of a session name. A file is not deleted while a session that may still run has it in its log: what the model
-- was sent once, it is sent again with every request.
create table event_files (
  session_id uuid not null references sessions on delete cascade,
  file_id uuid not null,
  primary key (session_id, file_id)
);
create index event_files_by_file on event_files (file_id);

-- What tool calls that run have printed, without secrets, its beginning and end: the result of a call whose process died begins with it.
-- The rows of a session are deleted at the end of the turn.
create table call_outputs (
  session_id uuid not null references sessions on delete cascade,
  -- The event that announced the call.
  call_id uuid not null,
  printed text not null,
  primary key (session_id, call_id)
);

-- What the API asks of a session's disk, and what the runner that holds the session answers: rows for moments, between two processes
-- that may be on different machines. Whoever asked deletes the row; one that outlives its asker is deleted once it has expired. The
-- table is unlogged: after a crash of the database it is empty, and nobody waits any more.
create unlogged table workspace_reads (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  -- JSON, as text: both may have characters that jsonb cannot store.
  request text not null,
  expires_at timestamptz not null,
  answered_at timestamptz,
  answer text,
  -- Bytes of a file, which are not compressed: that would take longer than to store them.
  content bytea
);
alter table workspace_reads alter column answer set storage external, alter column content set storage external;
create index workspace_reads_waiting on workspace_reads (session_id) where answered_at is null;
create index workspace_reads_expiring on workspace_reads (expires_at);


-- Files

create table files (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  filename text not null,
  mime_type text not null,
  -- Null: a pending file that does not know its size yet.
  size_bytes bigint,
  sha256 text,
  status text not null check (status in ('pending', 'ready', 'failed')),
  -- How much of its content is stored to stay.
  uploaded_bytes bigint not null default 0,
  -- The request that receives the content of a pending file, in any process, and until when it has it without a sign of life.
  receiver text,
  received_until timestamptz,
  downloadable boolean not null default true,
  scope_session_id uuid references sessions on delete set null,
  metadata jsonb not null default '{}',
  updated_at timestamptz not null default now()
);
create index files_by_owner on files (owner_id, id);
create index files_by_organization on files (organization_id, id);
create index files_by_content on files (sha256) where sha256 is not null;
create index files_by_scope on files (scope_session_id, id) where scope_session_id is not null;
-- Finds whether a session has a newer output of a name. The name itself may be too long for an index.
create index files_by_scope_and_name on files (scope_session_id, md5(filename), id) where scope_session_id is not null;
create index files_pending on files (updated_at) where status = 'pending';
create index files_pending_by_owner on files (owner_id) where status = 'pending';

-- Contents that arrive in parts while the contents of files are in S3. These rows, and not what S3 lists, say what of a content was
-- received, so that any process goes on with it. They reference no file: those of one that was deleted stay until what they name is
-- removed from S3.
create table partial_contents (
  file_id uuid primary key,
  -- The request that receives now. Another one that goes on takes its place, and from then on it can record nothing.
  writer uuid not null,
  -- Of the multipart upload, and the number in its key; null while there is none.
  upload_id text,
  upload_number integer,
  -- The last number that was given to a part or an upload. Each is given once, so that two requests never write the same object.
  last_number integer not null default 0
);

-- The parts of contents that arrive in parts.
create table file_parts (
  file_id uuid not null references partial_contents on delete cascade,
  number integer not null,
  first_byte bigint not null,
  size bigint not null,
  etag text not null,
  -- Whether it is an object of its own, since it is too small for a part of the upload while others follow.
  tail boolean not null,
  primary key (file_id, number)
);

-- What lay below the outputs of a session when it was last collected.
create table session_outputs (
  session_id uuid not null references sessions on delete cascade,
  -- The bytes of the file system.
  path bytea not null,
  -- Null for what was left out.
  sha256 text,
  -- Tells that a file is unchanged without reading it; null when it has to be read again.
  stamp text,
  primary key (session_id, path)
);

-- What users have registered with Forward. There is no reference to the resource: one that is gone is left out of lists, and still marks a
-- place in them.
create table forward_registrations (
  user_id uuid not null references users,
  type text not null check (type in ('skill', 'file', 'vault', 'environment')),
  resource_id uuid not null,
  -- Of the first registration, by which they are listed.
  id uuid not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, type, resource_id)
);
create index forward_registrations_by_user on forward_registrations (user_id, type, id);


-- Hosts

-- The services of this database, one row for each installation, however often it was restarted.
create table hosts (
  id text primary key,
  place text not null,
  version text not null,
  -- A digest of each setting that decides results, by the setting's name.
  settings jsonb not null,
  -- Turns at once.
  capacity integer not null,
  -- It takes nothing new.
  draining boolean not null default false,
  -- It has been seen without a long gap since then.
  up_since timestamptz not null default now(),
  -- When it last looked for work, by this database's clock.
  seen_at timestamptz not null default now(),
  -- Of the machine, as its operator knows it.
  name text not null,
  -- What it does: `all`, or only `api` or `runner`. A service that is only an API has no disks and runs no sessions; its row tells that
  -- it is there, and with which settings.
  role text not null check (role in ('all', 'api', 'runner'))
);
create index hosts_by_place on hosts (place);

-- Sessions with a turn of an owner whose turns at once are limited. A permit counts as long as the lease that it was given to.
create table turn_permits (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  lease_owner text not null,
  lease_epoch bigint not null
);
create index turn_permits_by_organization on turn_permits (organization_id);


-- Repositories, and what else a session mounts

-- Host uids of what mirrors and repository snapshots have on disk.
create sequence repository_uids minvalue 365536 maxvalue 369631 cycle;

-- A repository as the sessions of one organization fetched it on one machine: a bare mirror, of which repository snapshots are made.
-- Nothing of one organization's is ever shown to another's, whatever the url.
create table repository_mirrors (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The installation.
  host text not null,
  url text not null,
  -- Who owns the mirror and its snapshots on the host.
  uid integer not null unique,
  bytes bigint not null default 0,
  used_at timestamptz not null default now(),
  unique (organization_id, host, url)
);

-- Clones on a host that disks of sessions show as their own. A row is written when the clone is whole on the disk, which is then never
-- changed. Snapshots of the volumes of pods are in volume_snapshots.
create table repository_snapshots (
  id uuid primary key,
  mirror_id uuid not null references repository_mirrors,
  -- "branch NAME" or "commit SHA".
  checkout text not null,
  -- Tells which branches and tags it has, and with which objects.
  refs_digest text not null,
  commit_sha text not null,
  bytes bigint not null,
  -- A digest of the environment's repository_setup_script and of all that its result depends on; empty for a plain clone.
  setup text not null default '',
  -- The plain snapshot over which this one lies, if a script made it.
  base_id uuid references repository_snapshots,
  used_at timestamptz not null default now(),
  unique (mirror_id, checkout, refs_digest, setup)
);
create index repository_snapshots_by_base on repository_snapshots (base_id) where base_id is not null;

-- What a session mounts: repositories, files and memory stores. A file or a memory store may be deleted while a session that has ended
-- still tells that it had it, so there is no reference to it; who mounts a file locks the file's row.
create table session_resources (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  type text not null
    constraint session_resources_type_check check (type in ('hosted_repository', 'git_repository', 'file', 'memory_store')),
  mount_path text not null,

  -- Of a repository. secret: an envelope. username: what a git_repository logs in with.
  url text,
  checkout json,
  username text,
  secret bytea,
  -- Raised by each new secret and each requested retry.
  revision integer not null default 0,
  -- The snapshot over which the session's disk shows the repository, from before it is mounted until the disk is gone. The reference
  -- keeps the snapshot.
  snapshot_id uuid references repository_snapshots,
  -- The commit that it was cloned at, empty for one that had none.
  base_commit text,

  file_id uuid,

  -- Of a memory store: what the session was given it for, and its name and description of then, which the agent is told as long as the
  -- session lives.
  memory_store_id uuid,
  memory_access text check (memory_access in ('read_write', 'read_only')),
  memory_instructions text,
  memory_name text,
  memory_description text,

  -- Since when it is in place on the present disk, or why it could not be put there.
  ready_at timestamptz,
  failed_at timestamptz,
  failure text,
  -- A digest of all that the failed attempt depended on; the failure counts while the present inputs are the same.
  failed_inputs text,
  -- Attempts in a row that failed for a reason that passes, when the first of them failed, and when the next one is due; null when none is.
  attempts integer not null default 0,
  failing_since timestamptz,
  retry_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (session_id, mount_path),
  unique (session_id, file_id)
);
create index session_resources_by_session on session_resources (session_id, id);
create index session_resources_by_file on session_resources (file_id) where file_id is not null;
create index session_resources_by_memory_store on session_resources (memory_store_id, session_id)
  where memory_store_id is not null;
create index session_resources_by_snapshot on session_resources (snapshot_id) where snapshot_id is not null;

-- Keeps sessions.repository_failed.
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

-- Files that a session had and that may still lie in its sandbox or on its disk. Whoever holds the session takes each away and then its
-- row; a file at whose mount path there is another one by then is gone already.
create table session_removals (
  resource_id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  mount_path text not null
);
create index session_removals_by_session on session_removals (session_id, resource_id);

-- The files of a mounted memory store on the session's disk as they were when they were last the same as the memories: what differs from
-- these was changed in the sandbox.
create table memory_mount_files (
  session_id uuid not null references sessions on delete cascade,
  memory_store_id uuid not null references memory_stores on delete cascade,
  path text collate "C" not null,
  content_sha256 text not null,
  -- The file's size, times and inode; null when it has to be read.
  stamp text,
  primary key (session_id, memory_store_id, path)
);
create index memory_mount_files_by_store on memory_mount_files (memory_store_id);


-- Disks

-- What was on a session's disk, for a host that does not have the disk. The contents are in the blob store: an archive of what is
-- different from the repository snapshots that the disk showed, and an archive of each of these.
create table workspace_saves (
  session_id uuid primary key references sessions on delete cascade,
  sha256 text not null,
  -- Of all archives together.
  size_bytes bigint not null,
  saved_at timestamptz not null,
  -- Of the last event before it was made.
  seq bigint not null,
  -- Resources that were in place.
  in_place uuid[] not null,
  -- [{resource, snapshot, target, sha256, size}]
  bases jsonb not null,
  -- The hashes of all archives.
  contents text[] not null,
  -- A disk is being made from it, which is not whole before that is over.
  restoring boolean not null default false
);
create index workspace_saves_by_content on workspace_saves using gin (contents);

-- Snapshots of volumes in a cluster, with the repositories of a session and nothing else, of which the volumes of later sessions of the
-- organization are made. Clones on a host are in repository_snapshots.
create table volume_snapshots (
  -- Also of the object of the cluster; what has no row is deleted there.
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- The home of sessions that can use it.
  place text not null,
  -- A digest of urls, mount paths and checkouts.
  repositories text not null,
  -- Of what the hosts showed.
  refs_digest text not null default '',
  -- Of the volume.
  bytes bigint not null,
  begun_at timestamptz not null default now(),
  -- Null while it is taken, and when that failed.
  taken_at timestamptz,
  used_at timestamptz not null default now(),
  -- No volume could be made of it.
  failed_at timestamptz,
  -- How long it took to clone what is in it.
  clone_seconds real not null default 0
);
create index volume_snapshots_by_repositories on volume_snapshots (organization_id, place, repositories);
create unique index volume_snapshots_being_taken on volume_snapshots (organization_id, place, repositories) where taken_at is null;

-- Uids of the disks of pools.
create sequence warm_uids minvalue 369632 maxvalue 399999 cycle;

-- Disks of pools, each with a sandbox that was made before a session needs it. A row is there from before its disk is made until after
-- that is gone.
create table warm_disks (
  name text primary key,
  place text not null,
  -- Of the sandbox's shape, as the engine says.
  key text not null,
  uid integer not null unique,
  state text not null check (state in ('making', 'ready', 'taken', 'leaving')),
  changed_at timestamptz not null default now()
);
create index warm_disks_ready on warm_disks (place, key, changed_at) where state = 'ready';

-- The shapes of the sandboxes for which sessions last got new disks.
create table warm_starts (
  place text not null,
  at timestamptz not null default clock_timestamp(),
  shape jsonb not null
);
create index warm_starts_last on warm_starts (place, at);

-- Which runner fills the pool of a place, and until when no other does.
create table warm_pools (
  place text primary key,
  keeper text not null,
  until timestamptz not null
);


-- Egress of sandboxes on other hosts. A sidecar beside each sandbox connects to a service with the role egress, which reads here what the
-- sandbox may reach.

-- Authorities that all services of the installation share: `tunnels` signs the certificates of both ends of a tunnel, `hosts` those
-- that sandboxes are shown for hosts to which secrets are sent.
create table egress_authorities (
  purpose text primary key check (purpose in ('tunnels', 'hosts')),
  certificate text not null,
  -- An envelope.
  key bytea not null
);

-- The tunnel of a session's sandbox, and what the sandbox may reach. It is good for one lease (owner, epoch).
create table egress_tunnels (
  session_id uuid primary key references sessions on delete cascade,
  id uuid not null unique,
  owner text not null,
  epoch bigint not null,
  -- SHA-256 of the tunnel's token.
  token_hash bytea not null,
  policy jsonb not null,
  -- Raised by a change of the policy.
  revision bigint not null default 1
);


-- Usage, by day (UTC)

-- What sessions used: the sums of a session's rows are the totals in its own row. Rows outlive the session; they then have another id in
-- place of its own, one for all rows of the session, so that it can be counted but not known.
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
  -- As in sessions.
  cache_creation_1h_input_tokens bigint not null default 0,
  -- Null: there were no Explore calls.
  explore_model text,
  explore_input_tokens bigint not null default 0,
  explore_output_tokens bigint not null default 0,
  explore_cache_read_input_tokens bigint not null default 0,
  explore_cache_creation_input_tokens bigint not null default 0,
  primary key (session_id, day)
);
create index session_usage_by_organization on session_usage (organization_id, day);
create index session_usage_by_owner on session_usage (owner_id, day);

-- The model of the Explore calls of an agent, as sessions keep it.
create function explore_model(agent json) returns text language sql immutable as $$
  select coalesce((
    select config ->> 'model' from json_array_elements(agent -> 'tools') as tool, json_array_elements(tool -> 'configs') as config
    where config ->> 'name' = 'Explore' limit 1
  ), agent -> 'model' ->> 'id')
$$;

-- A trigger, so that nothing is added to a session's totals without the usage of its day.
create function add_session_usage() returns trigger language plpgsql as $$
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
      output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation_1h_input_tokens, explore_model,
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

-- For how long sandboxes of an owner were open.
create table sandbox_usage (
  owner_id uuid not null,
  day date not null,
  organization_id uuid not null references organizations,
  seconds double precision not null,
  primary key (owner_id, day)
);
create index sandbox_usage_by_organization on sandbox_usage (organization_id, day);

-- What a session's disk took on its host when it was last measured.
create table disk_usage (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  bytes bigint not null
);
create index disk_usage_by_organization on disk_usage (organization_id);
create index disk_usage_by_owner on disk_usage (owner_id);


-- Installation

-- Names this database, also in a copy that was restored elsewhere. A data directory remembers with which one it belongs.
create table database_identity (
  id uuid not null default gen_random_uuid(),
  only_one boolean primary key default true check (only_one),
  -- Names the secret key with which the database is used, by a keyed hash of its id. Null until a service starts on it.
  key_fingerprint bytea,
  -- Names the store that has the contents of this database's files, as the store names itself. Null until a service starts.
  blob_store text
);
insert into database_identity default values;
