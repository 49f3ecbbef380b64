-- The schema of release 0.1.0. Its sections: accounts, requests, agents and environments, skills, vaults, memory stores, sessions, files,
-- hosts, repositories, disks, egress, usage, installation.
--
-- The application makes ids, as UUIDv7: a descending order by id is newest first, and an object was created at the millisecond in its id.
-- The row of an object names its organization and its owner, so that access is a condition on one row. A secret is stored encrypted, as an
-- "envelope", which only the installation's key can decrypt.


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

-- Accounts of programs. They own nothing: what they create belongs to the organization.
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

-- Tokens of users (pat) and of service accounts (sat), and sign-ins to the console (console), whose secret is accepted only as a cookie.
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
  -- The token that created this one; null if the operator did. A token is revoked with its parent, unless it is independent.
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
-- For the sweep of expired sign-ins.
create index tokens_console_expiry on tokens (expires_at) where kind = 'console';

-- Tokens of the operator, who belongs to no organization. They are accepted only at /api/v1/admin.
create table operator_tokens (
  id uuid primary key,
  name text not null,
  -- SHA-256 of the secret.
  hash bytea not null unique,
  last4 text not null,
  -- The token that created this one; null if a command on the installation's machine did.
  parent_id uuid references operator_tokens,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_tokens_by_parent on operator_tokens (parent_id) where parent_id is not null;

-- Maps accounts at identity providers to users.
create table user_identities (
  issuer text not null,
  -- The account's id there.
  subject text not null,
  user_id uuid not null references users on delete cascade,
  primary key (issuer, subject),
  unique (user_id, issuer)
);

-- Sign-ins in progress at an identity provider. A row is deleted when the browser comes back, and otherwise within about an hour.
create table oidc_requests (
  -- SHA-256 of the secret in the browser's cookie. State, nonce and code verifier are derived from the secret.
  secret_hash bytea primary key,
  -- The page of the console that the browser is sent to after the sign-in.
  return_to text not null,
  -- The client's IPv4 address or IPv6 network, for which the number of open rows is limited.
  client_network text not null,
  expires_at timestamptz not null
);

-- Links that sign in to the console, each of them once. They are deleted within about an hour. They have no foreign keys, so that they
-- never prevent a deletion.
create table console_links (
  -- SHA-256 of the code in the link.
  code_hash bytea primary key,
  -- The token that created the link. The link signs in the user of this token.
  token_id uuid not null,
  expires_at timestamptz not null
);

-- Logins that wait until a user approves them in a browser. A row has no owner before that. It is deleted within about an hour, and has no
-- foreign keys, so that it never prevents a deletion.
create table device_authorizations (
  id uuid primary key,
  -- SHA-256 of the code that the device polls with.
  device_code_hash bytea not null unique,
  -- HMAC of the short code that the user types, with a key of the installation. A plain hash of so short a code could be reversed.
  user_code_hash bytea not null unique,
  -- As the client calls itself.
  client_name text,
  client_address text not null,
  -- The IPv4 address or IPv6 network, for which the number of open rows is limited.
  client_network text not null,
  scopes text[] not null,
  -- used: the device has received its token.
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'used')),
  expires_at timestamptz not null,
  -- The shortest time between two polls.
  interval_seconds int not null default 5,
  polled_at timestamptz,
  -- The user whose token the device gets; null until approval.
  organization_id uuid,
  user_id uuid,
  -- The token with which the user approved; null if the operator did.
  approved_with uuid,
  granted_scopes text[],
  check (status not in ('approved', 'used')
    or (organization_id is not null and user_id is not null and granted_scopes is not null))
);


-- Requests

-- Responses to requests with an Idempotency-Key, kept for 24 hours. The transaction that does the work writes the row. A key belongs to the
-- token that sent it, since tokens of one principal can have different scopes.
create table idempotency_keys (
  token_id uuid not null,
  key text not null,
  status integer not null,
  -- An envelope of the response and of a description of the request. With a plain hash of the body, whoever has a copy of the database
  -- could try out passwords.
  answer bytea not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (token_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Who changed what, and from where: one row for each request and each operator command that changed something, written in the transaction
-- of the change. Rows contain ids and names of operations, never the content of a request. They have no foreign keys, since the objects
-- that they name may be deleted.
create table audit_entries (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- Null for an operator command that is not about one organization.
  organization_id uuid,
  -- operator: the operator of the installation. service: Berth itself, as its settings say.
  actor_type text not null
    constraint audit_entries_actor_type_check check (actor_type in ('user', 'service_account', 'operator', 'service')),
  actor_id uuid,
  token_id uuid,
  -- The operation of the API (agents.create) or the command (admin users disable).
  operation text not null,
  -- Ids as the API shows them: those in the path, outermost first, then those of created objects.
  resources text[] not null,
  -- The client's address; for a command on the machine, the name of the machine's user.
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

-- Limits of an organization or a user that differ from those in the settings.
create table limits (
  -- The organization or the user.
  subject_id uuid not null,
  organization_id uuid not null references organizations,
  name text not null,
  -- Null: no limit.
  value bigint check (value >= 0),
  primary key (subject_id, name)
);

-- How long an organization keeps its sessions, the events of ended sessions, and its files, where that differs from the settings.
create table retention (
  organization_id uuid not null references organizations,
  name text not null check (name in ('sessions', 'events', 'files')),
  -- Null: for ever.
  days integer check (days >= 1),
  primary key (organization_id, name)
);

-- Requested erasures of a user or an organization with everything that belongs to it. There are no foreign keys, since what a row names
-- gets deleted.
create table erasures (
  id uuid primary key,
  subject_type text not null check (subject_type in ('user', 'organization')),
  subject_id uuid not null unique,
  organization_id uuid not null,
  -- The number of deleted rows, by kind.
  deleted jsonb not null default '{}',
  -- Ids of the user's agents and environments that sessions of others use. The organization owns them now.
  handed_over jsonb not null default '[]',
  completed_at timestamptz
);

-- Contents of erased files and skills. A row goes when the content is removed from the blob store, or found to belong to another file too.
create table erased_contents (
  erasure_id uuid not null references erasures,
  sha256 text not null,
  primary key (erasure_id, sha256)
);


-- Agents and environments. An index with `current` in its name is for lists without archived objects, so that the cost of a page does not
-- depend on the number of archived ones.

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
  -- The resolved agent, without the fields that are columns of their own.
  definition json not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (agent_id, version)
);

-- Environments. The row of a deleted one stays, emptied, for the terminated sessions that refer to it; its name can be used again.
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
  -- Where the secrets of repositories are: inject puts them into the sandbox, proxy keeps them outside.
  credentials text not null default 'inject' check (credentials in ('inject', 'proxy')),
  -- Null: the installation's default image.
  image text,
  -- Author and committer of commits, {name, email, co_authored_by}; null: as the agent's definition or the token's account says.
  git_identity jsonb,
  -- persistent: a session keeps its disk. ephemeral: the disk is removed once the session rests.
  workspace text not null default 'persistent' check (workspace in ('persistent', 'ephemeral')),
  -- The RuntimeClass of the sandboxes' pods; null: as the operator's settings say.
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

-- Skills. The name of an archived skill stays taken.
create table skills (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  display_title text,
  metadata jsonb not null default '{}',
  -- The highest version number ever given, also to a version that was deleted since.
  last_version integer not null,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint skills_by_name unique (owner_id, name)
);
create index skills_by_owner on skills (owner_id, id);
create index skills_by_organization on skills (organization_id, id);
create index skills_current_by_owner on skills (owner_id, id) where archived_at is null;
create index skills_current_by_organization on skills (organization_id, id) where archived_at is null;

-- Versions of skills. The files of a version are stored one after the other, as one content.
create table skill_versions (
  id uuid primary key,
  skill_id uuid not null references skills on delete cascade,
  version integer not null,
  description text not null,
  -- SHA-256 of the content.
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
  -- Null: the version that is newest when a session is created.
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
  -- An envelope; null once the credential is archived.
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
  -- Counts the changes of the store's memories. Raised under the lock of this row.
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

-- All changes of memories. They stay when the memory is deleted.
create table memory_versions (
  id uuid primary key,
  memory_store_id uuid not null references memory_stores on delete cascade,
  memory_id uuid not null,
  operation text not null check (operation in ('created', 'modified', 'deleted')),
  path text,
  content text,
  content_sha256 text,
  size_bytes integer,
  -- As the API shows it, like redacted_by.
  created_by json not null,
  -- The session in created_by, which may be deleted.
  session_id uuid,
  redacted_at timestamptz,
  redacted_by json
);
create index memory_versions_by_store on memory_versions (memory_store_id, id);
create index memory_versions_by_memory on memory_versions (memory_id, id);
create index memory_versions_by_session on memory_versions (session_id, id) where session_id is not null;


-- Sessions

-- Host uids of sandboxes: no two workspaces on a host share one. The sequences repository_uids and warm_uids have the ranges after this one.
create sequence workspace_uids minvalue 300000 maxvalue 365535 cycle;

-- Sessions. A session with pending_at is due: a runner should claim it. The holder of the lease owns the session's turn, sandbox and disk.
-- Each claim raises lease_epoch, and every write of a run checks it, so that a run that has lost its lease writes nothing.
create table sessions (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,

  -- What it was created with: the agent as it was at that time, and the environment, whose changes apply to the session.
  agent_id uuid not null references agents,
  agent json not null,
  environment_id uuid not null references environments,
  environment_variables json not null default '{}',
  -- In the order of the request. A transaction that gives a vault to a session locks the vault's row.
  vault_ids uuid[] not null default '{}',
  -- Null: as the environment, the agent or the token's account says.
  git_identity jsonb,
  -- The placeholders of the session's secrets are derived from it, so they stay the same. It is not secret: a placeholder is worthless
  -- outside the session's own sandbox.
  placeholder_seed uuid not null default gen_random_uuid(),
  -- The version of the tools and the system prompt that requests begin with. Their bytes stay the same for the life of the session.
  prefix_version smallint not null default 1,
  title text not null default '',
  metadata jsonb not null default '{}',

  -- Its state
  status text not null default 'idle' check (status in ('idle', 'running', 'rescheduling', 'terminated')),
  running_since timestamptz,
  -- Since when it rests: its lease was released with nothing left to do. Null while it is due or a run holds it.
  idle_since timestamptz default now(),
  -- Why the last turn ended, as in its session.status_idle event, or 'terminated'; 'none' before the first turn has ended.
  last_turn_outcome text not null default 'none',
  last_turn_ended_at timestamptz,
  -- Ids of the events that announced calls which still need a client's confirmation or result. They follow from the log. They are stored
  -- here so that the lock of this row decides which of two replies to one call is accepted.
  awaited_calls uuid[] not null default '{}',
  -- Whether a clone of a repository has failed for now. It follows from session_resources, and is stored here so that these few sessions
  -- are found by an index.
  repository_failed boolean not null default false,
  archived_at timestamptz,
  terminated_at timestamptz,
  -- No request finds a deleted session. The row stays until a worker of the place that has the session's disk has removed the disk. Then
  -- the row is deleted, with everything that belongs to it.
  deleted_at timestamptz,
  -- When the events of an ended session were deleted.
  events_deleted_at timestamptz,

  -- Its log: number and time of the last event
  last_seq bigint not null default 0,
  last_event_at timestamptz,
  -- When to summarise the history of a session that waits for its user: shortly before it expires from the provider's prompt cache.
  summary_due_at timestamptz,

  -- Who runs it
  pending_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  lease_epoch bigint not null default 0,
  -- How many times in a row the process that ran the session's turn crashed or froze. 0 again when a turn ends.
  runner_crashes integer not null default 0,
  -- The lease_epoch at which a session with runner_crashes last began a turn. Only a crash at this epoch counts against it.
  trial_epoch bigint,
  -- Since when the session is set aside: no turn of it is run, after too many crashes.
  set_aside_at timestamptz,
  -- The traceparent header for the request that last made the session due. The turn becomes part of that trace.
  traceparent text,

  -- Its disk, which is at a place, such as `local:<installation>` for the data directory of one machine. Only processes at that place can
  -- use the disk, so only they run the session, until no host of the place has been seen for long. Null: there is no disk.
  home text,
  workspace_uid integer unique,
  -- The name of the disk; null if it is named after the session, or if there is none.
  disk text,
  -- Whether the environment was ephemeral when the disk was made. If it still is, the disk is removed once the session rests.
  disk_ephemeral boolean not null default false,
  -- Whether the disk was made from a volume snapshot, and not yet checked against what the session's own credentials may read. Such a disk
  -- is never used again after an interruption.
  disk_unverified boolean not null default false,
  -- Whether a sandbox was open since all outputs were last collected.
  outputs_due boolean not null default false,

  -- What it has used so far. The trigger sessions_add_usage adds each change to session_usage.
  active_ms bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_read_input_tokens bigint not null default 0,
  cache_creation_input_tokens bigint not null default 0,
  -- The part of cache_creation_input_tokens that the provider caches for an hour, which costs more.
  cache_creation_1h_input_tokens bigint not null default 0,
  -- The part of the totals that Explore calls used, possibly with another model.
  explore_input_tokens bigint not null default 0,
  explore_output_tokens bigint not null default 0,
  explore_cache_read_input_tokens bigint not null default 0,
  explore_cache_creation_input_tokens bigint not null default 0,

  -- What compactions did, in tokens. The API's `compaction` is computed from it.
  compactions integer not null default 0,
  -- For the newest compaction: the estimated tokens of the context before it, minus those after it.
  compaction_removed_tokens bigint not null default 0,
  -- The sum of compaction_removed_tokens over all requests that the model has answered since a compaction.
  compaction_avoided_tokens bigint not null default 0,
  -- The sum of the contexts that the compactions left.
  compaction_left_tokens bigint not null default 0,
  -- Usage of the requests that wrote the summaries.
  summary_input_tokens bigint not null default 0,
  summary_output_tokens bigint not null default 0,
  summary_cache_read_input_tokens bigint not null default 0,
  summary_cache_creation_input_tokens bigint not null default 0,

  updated_at timestamptz not null default now()
);

-- For lists of an owner's or an organization's sessions, in order of id or of last activity: all, by status, or by last outcome.
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

-- For lists of sessions that need a person. They are few, and found without reading the others.
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

-- For workers: due sessions (also by owner, so that one owner's queue does not slow the others), leased ones, and those whose disk may be
-- removed.
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

-- The skills that a session was created with. The rows of ended sessions do not prevent the deletion of a version.
create table session_skills (
  session_id uuid not null references sessions on delete cascade,
  skill_version_id uuid not null references skill_versions on delete cascade,
  primary key (session_id, skill_version_id)
);
create index session_skills_by_version on session_skills (skill_version_id);

-- The tools that an MCP server offered when the session first asked. They stay the same until the session asks again (is_stale).
create table session_mcp_tools (
  session_id uuid not null references sessions on delete cascade,
  server_name text not null,
  tools json not null,
  -- The server's instructions, as the system prompt contains them; null for none.
  instructions text,
  -- Whether the next turn asks the server for its tools again.
  is_stale boolean not null default false,
  -- How many times it was asked again.
  times_asked int not null default 0,
  discovered_at timestamptz not null default now(),
  primary key (session_id, server_name)
);

-- The logs of sessions. seq is allocated under the row lock of the session, so that its order is the order of commits.
create table events (
  session_id uuid not null references sessions on delete cascade,
  seq bigint not null,
  id uuid not null,
  type text not null,
  -- The event as JSON text, without id, type, created_at and processed_at.
  body text not null,
  -- Data that the agent's loop stores with the event, and clients never see.
  memo text,
  -- By the database's clock. Within a session it never decreases.
  created_at timestamptz not null default clock_timestamp(),
  processed_at timestamptz,
  primary key (session_id, seq),
  unique (session_id, id)
);
create index events_waiting on events (session_id, seq) where processed_at is null;

-- Returns the seq of the first event of a session at or after a time; if all are before it, the last seq plus one. A binary search, since
-- times follow the order of seq: an index on created_at would make every append slower.
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

-- Appends events for a run and marks the inputs before them as processed. Returns those inputs, then the appended events; or nothing when
-- the lease is gone. It takes inputs until their sum passes 16 MiB, and leaves the rest to the next request. It is a function because each
-- of its statements sees what was committed while the one before waited for the row of the session: an input that arrived meanwhile has a
-- lower seq and must be taken, too.
-- usage: input, output, cache read and cache creation tokens to add; how many of the latter are cached for an hour; and the number of
-- answered requests to count for the newest compaction.
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

-- Reads a session that a run holds, and begins a turn if only messages wait. Returns the state that the holder has to act on, or nothing
-- when the lease is gone. It is a function because each of its statements sees what was committed while the one before waited for the row
-- of the session: an input that arrived meanwhile is counted, and pending_at is cleared for it, too.
-- event_id, event_type, event_body: the event that announces the turn. reply_types: the types of clients' replies to calls.
-- messages: the number of unprocessed events before that one, all of which the first request takes.
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

-- The files that messages of a session refer to. A file cannot be deleted while it is in the log of a session that may still run, since
-- every request sends the model the whole history again.
create table event_files (
  session_id uuid not null references sessions on delete cascade,
  file_id uuid not null,
  primary key (session_id, file_id)
);
create index event_files_by_file on event_files (file_id);

-- Beginning and end of what running tool calls have printed so far, with secrets masked. If the process dies, the call's result begins with
-- it. The rows of a session are deleted at the end of the turn.
create table call_outputs (
  session_id uuid not null references sessions on delete cascade,
  -- The event that announced the call.
  call_id uuid not null,
  printed text not null,
  primary key (session_id, call_id)
);

-- Reads of a session's disk: the API writes the request, and the runner that holds the session, maybe on another machine, the answer. A row
-- lives for moments. The API deletes it; if the API process is gone, it is deleted once it has expired. The table is unlogged, so it is
-- empty after a crash of the database, when nobody waits for an answer any more.
create unlogged table workspace_reads (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  -- JSON, like the answer. As text, since jsonb cannot store all characters of either.
  request text not null,
  expires_at timestamptz not null,
  answered_at timestamptz,
  answer text,
  -- Bytes of a file. Stored without compression, which would take longer than the write.
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
  -- Null while the size of a pending file is unknown.
  size_bytes bigint,
  sha256 text,
  status text not null check (status in ('pending', 'ready', 'failed')),
  -- The number of bytes that are stored durably.
  uploaded_bytes bigint not null default 0,
  -- The request, in any process, that receives the content of a pending file, and when its claim expires unless it renews it.
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
-- For finding a session's newer outputs of the same name. The name itself may be too long for an index.
create index files_by_scope_and_name on files (scope_session_id, md5(filename), id) where scope_session_id is not null;
create index files_pending on files (updated_at) where status = 'pending';
create index files_pending_by_owner on files (owner_id) where status = 'pending';

-- Unfinished uploads when file contents are stored in S3. These rows, not S3's lists, say which parts were received, so that any process can
-- continue an upload. They have no reference to the file: after its deletion they stay until their objects are removed from S3.
create table partial_contents (
  file_id uuid primary key,
  -- The request that receives now. A later request that continues the upload replaces it here, and the earlier one can then record nothing.
  writer uuid not null,
  -- The id of the S3 multipart upload, and the number in its key; null while there is none.
  upload_id text,
  upload_number integer,
  -- The last number given to a part or an upload. No number is given twice, so two requests never write the same object.
  last_number integer not null default 0
);

-- The received parts of unfinished uploads.
create table file_parts (
  file_id uuid not null references partial_contents on delete cascade,
  number integer not null,
  first_byte bigint not null,
  size bigint not null,
  etag text not null,
  -- Whether the part is a separate object, because S3 accepts so small a part only as the last one of an upload.
  tail boolean not null,
  primary key (file_id, number)
);

-- The files in the outputs directory of a session when it was last collected.
create table session_outputs (
  session_id uuid not null references sessions on delete cascade,
  -- In bytes, since a path need not be valid UTF-8.
  path bytea not null,
  -- Null for a file that was not collected.
  sha256 text,
  -- The file's size, times and inode, which show that it is unchanged without a read of it; null if it has to be read again.
  stamp text,
  primary key (session_id, path)
);

-- What users have registered with Forward. There is no reference to the resource: lists leave out a deleted one, but the registration can
-- still be the position of a page.
create table forward_registrations (
  user_id uuid not null references users,
  type text not null check (type in ('skill', 'file', 'vault', 'environment')),
  resource_id uuid not null,
  -- The id of the first registration. Lists are ordered by it.
  id uuid not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, type, resource_id)
);
create index forward_registrations_by_user on forward_registrations (user_id, type, id);


-- Hosts

-- The services that use this database: one row for each data directory, which a restart keeps.
create table hosts (
  id text primary key,
  place text not null,
  version text not null,
  -- A digest of each setting that decides results, by the setting's name.
  settings jsonb not null,
  -- How many turns it runs at once.
  capacity integer not null,
  -- Whether it takes no new sessions.
  draining boolean not null default false,
  -- Since when it has been seen without a long gap.
  up_since timestamptz not null default now(),
  -- When it last looked for work, by the database's clock.
  seen_at timestamptz not null default now(),
  -- The name of the machine, as its operator knows it.
  name text not null,
  -- What it does: `all`, or only `api` or `runner`. An `api` has no disks and runs no sessions; its row shows that it is there, and with
  -- which settings.
  role text not null check (role in ('all', 'api', 'runner'))
);
create index hosts_by_place on hosts (place);

-- Permits of running turns, for owners with a limit of turns at once. A permit counts as long as the lease that it was given to.
create table turn_permits (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  lease_owner text not null,
  lease_epoch bigint not null
);
create index turn_permits_by_organization on turn_permits (organization_id);


-- Repositories, and what else a session mounts

-- Host uids that own the files of mirrors and repository snapshots.
create sequence repository_uids minvalue 365536 maxvalue 369631 cycle;

-- Bare mirrors of repositories, one for each organization and machine, from which repository snapshots are made. A mirror is never shown to
-- another organization, even for the same url.
create table repository_mirrors (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The id of the host.
  host text not null,
  url text not null,
  -- The host uid that owns the files of the mirror and of its snapshots.
  uid integer not null unique,
  bytes bigint not null default 0,
  used_at timestamptz not null default now(),
  unique (organization_id, host, url)
);

-- Clones on a host, over which sessions mount their repositories. The row is written once the clone is complete on disk; the clone never
-- changes after that. Snapshots of pods' volumes are in volume_snapshots.
create table repository_snapshots (
  id uuid primary key,
  mirror_id uuid not null references repository_mirrors,
  -- "branch NAME" or "commit SHA".
  checkout text not null,
  -- A digest of the names and objects of its branches and tags.
  refs_digest text not null,
  commit_sha text not null,
  bytes bigint not null,
  -- A digest of the environment's repository_setup_script and everything that its result depends on; empty for a plain clone.
  setup text not null default '',
  -- For the result of a script: the plain snapshot that it was run on, which is the layer below.
  base_id uuid references repository_snapshots,
  used_at timestamptz not null default now(),
  unique (mirror_id, checkout, refs_digest, setup)
);
create index repository_snapshots_by_base on repository_snapshots (base_id) where base_id is not null;

-- What a session mounts: repositories, files and memory stores. There is no reference to files and memory stores, since they may be deleted
-- while an ended session still lists them. A transaction that mounts a file locks the file's row.
create table session_resources (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  type text not null
    constraint session_resources_type_check check (type in ('hosted_repository', 'git_repository', 'file', 'memory_store')),
  mount_path text not null,

  -- For a repository. secret is an envelope. username is that of a git_repository's login.
  url text,
  checkout json,
  username text,
  secret bytea,
  -- Raised by each new secret and each requested retry.
  revision integer not null default 0,
  -- The snapshot under the session's mount of the repository, set from before the mount until the disk is gone. The reference keeps the
  -- snapshot from being deleted.
  snapshot_id uuid references repository_snapshots,
  -- The commit that was checked out when it was cloned; empty if the repository had none.
  base_commit text,

  file_id uuid,

  -- For a memory store. The agent sees its name and description as they were when the session got it.
  memory_store_id uuid,
  memory_access text check (memory_access in ('read_write', 'read_only')),
  memory_instructions text,
  memory_name text,
  memory_description text,

  -- When it was put in place on the current disk, or when and why that failed.
  ready_at timestamptz,
  failed_at timestamptz,
  failure text,
  -- A digest of everything that the failed attempt depended on. While the digest of the current inputs is the same, it is not tried again.
  failed_inputs text,
  -- Attempts in a row that failed for a temporary reason, when the first of them failed, and when the next attempt is due; null if none is.
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

-- Updates sessions.repository_failed.
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

-- Files that were unmounted from a session, and may still be in its sandbox or on its disk. The run that holds the session removes the file
-- and then the row. If another file has the mount path by then, the old one is gone already.
create table session_removals (
  resource_id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  mount_path text not null
);
create index session_removals_by_session on session_removals (session_id, resource_id);

-- The files of a mounted memory store on the session's disk when they last equalled the memories. A file that differs from its row was
-- changed in the sandbox.
create table memory_mount_files (
  session_id uuid not null references sessions on delete cascade,
  memory_store_id uuid not null references memory_stores on delete cascade,
  path text collate "C" not null,
  content_sha256 text not null,
  -- The file's size, times and inode; null if it has to be read.
  stamp text,
  primary key (session_id, memory_store_id, path)
);
create index memory_mount_files_by_store on memory_mount_files (memory_store_id);


-- Disks

-- Saves of sessions' disks, for hosts that do not have the disk. The contents are in the blob store: one archive of what differs from the
-- repository snapshots that the disk used, and one archive for each of these.
create table workspace_saves (
  session_id uuid primary key references sessions on delete cascade,
  sha256 text not null,
  -- The size of all archives together.
  size_bytes bigint not null,
  saved_at timestamptz not null,
  -- The seq of the last event before the save.
  seq bigint not null,
  -- Ids of the resources that were in place.
  in_place uuid[] not null,
  -- [{resource, snapshot, target, sha256, size}]
  bases jsonb not null,
  -- SHA-256 of all archives.
  contents text[] not null,
  -- Whether a disk is being made from it. Until that has ended, the disk is incomplete.
  restoring boolean not null default false
);
create index workspace_saves_by_content on workspace_saves using gin (contents);

-- Snapshots of volumes in a cluster, which contain only the repositories of a session. Volumes of later sessions of the organization are
-- made from them. Clones on a host are in repository_snapshots.
create table volume_snapshots (
  -- Also in the name of the snapshot object in the cluster. Objects without a row are deleted.
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- The place where it can be used, as in sessions.home.
  place text not null,
  -- A digest of urls, mount paths and checkouts.
  repositories text not null,
  -- A digest of the branches and tags that the git hosts reported.
  refs_digest text not null default '',
  -- The size of the volume.
  bytes bigint not null,
  begun_at timestamptz not null default now(),
  -- Null while the snapshot is being taken, and if that failed.
  taken_at timestamptz,
  used_at timestamptz not null default now(),
  -- When a volume could not be made from it; null otherwise.
  failed_at timestamptz,
  -- How long it took to clone its repositories.
  clone_seconds real not null default 0
);
create index volume_snapshots_by_repositories on volume_snapshots (organization_id, place, repositories);
create unique index volume_snapshots_being_taken on volume_snapshots (organization_id, place, repositories) where taken_at is null;

-- Host uids of disks in warm pools.
create sequence warm_uids minvalue 369632 maxvalue 399999 cycle;

-- Disks in warm pools, each with a sandbox that is ready before a session needs one. The row is written before the disk is made, and deleted
-- after the disk is gone.
create table warm_disks (
  name text primary key,
  place text not null,
  -- Identifies the shape of the sandbox, as the engine defines it.
  key text not null,
  uid integer not null unique,
  state text not null check (state in ('making', 'ready', 'taken', 'leaving')),
  changed_at timestamptz not null default now()
);
create index warm_disks_ready on warm_disks (place, key, changed_at) where state = 'ready';

-- The shapes of the latest sandboxes for which sessions got new disks. The pools prepare for these.
create table warm_starts (
  place text not null,
  at timestamptz not null default clock_timestamp(),
  shape jsonb not null
);
create index warm_starts_last on warm_starts (place, at);

-- The runner that fills the pool of a place, and until when no other may.
create table warm_pools (
  place text primary key,
  keeper text not null,
  until timestamptz not null
);


-- Egress of sandboxes on other hosts. A sidecar beside each sandbox connects to a service with the role egress, which reads from here what
-- the sandbox may connect to.

-- Certificate authorities that all services of the installation share. `tunnels` signs the certificates of both ends of a tunnel. `hosts`
-- signs those that a sandbox sees for hosts whose requests get secrets added.
create table egress_authorities (
  purpose text primary key check (purpose in ('tunnels', 'hosts')),
  certificate text not null,
  -- An envelope.
  key bytea not null
);

-- The tunnel of a session's sandbox, and what the sandbox may connect to. It is valid for one lease (owner, epoch).
create table egress_tunnels (
  session_id uuid primary key references sessions on delete cascade,
  id uuid not null unique,
  owner text not null,
  epoch bigint not null,
  -- SHA-256 of the tunnel's token.
  token_hash bytea not null,
  policy jsonb not null,
  -- Raised by each change of the policy.
  revision bigint not null default 1
);


-- Usage, by day (UTC)

-- What sessions used. The rows of a session add up to the totals in its row of sessions. They outlive the session: when it is deleted, a
-- random id replaces its own in all of them, so that it can be counted but not identified.
create table session_usage (
  session_id uuid not null,
  day date not null,
  -- The day of the session's row before; null for its first. With it a report counts each session once, at its first row in the period.
  previous_day date,
  organization_id uuid not null references organizations on delete cascade,
  -- The user, or the organization if a service account created the session. Null for an erased user.
  owner_id uuid,
  agent_id uuid not null,
  environment_id uuid not null,
  model text not null,
  -- The turns that ended on that day, and the running time in milliseconds.
  turns bigint not null,
  active_ms bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  -- As in sessions, a part of the column above.
  cache_creation_1h_input_tokens bigint not null default 0,
  -- Null if there were no Explore calls.
  explore_model text,
  explore_input_tokens bigint not null default 0,
  explore_output_tokens bigint not null default 0,
  explore_cache_read_input_tokens bigint not null default 0,
  explore_cache_creation_input_tokens bigint not null default 0,
  primary key (session_id, day)
);
create index session_usage_by_organization on session_usage (organization_id, day);
create index session_usage_by_owner on session_usage (owner_id, day);

-- Returns the model that an agent's Explore calls use, from the agent as sessions store it.
create function explore_model(agent json) returns text language sql immutable as $$
  select coalesce((
    select config ->> 'model' from json_array_elements(agent -> 'tools') as tool, json_array_elements(tool -> 'configs') as config
    where config ->> 'name' = 'Explore' limit 1
  ), agent -> 'model' ->> 'id')
$$;

-- A trigger, so that a session's totals never change without the usage of the day.
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

-- How long sandboxes of an owner were open.
create table sandbox_usage (
  owner_id uuid not null,
  day date not null,
  organization_id uuid not null references organizations,
  seconds double precision not null,
  primary key (owner_id, day)
);
create index sandbox_usage_by_organization on sandbox_usage (organization_id, day);

-- The size of a session's disk on its host, as last measured.
create table disk_usage (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  bytes bigint not null
);
create index disk_usage_by_organization on disk_usage (organization_id);
create index disk_usage_by_owner on disk_usage (owner_id);


-- Installation

-- The identity of this database, which a restored copy has as well. A data directory records the id of the database that it belongs to.
create table database_identity (
  id uuid not null default gen_random_uuid(),
  only_one boolean primary key default true check (only_one),
  -- Identifies the secret key of the installation: a keyed hash of the id above. Null until a service first starts.
  key_fingerprint bytea,
  -- Identifies the store with the file contents, by the id that the store has itself. Null until a service first starts.
  blob_store text
);
insert into database_identity default values;
