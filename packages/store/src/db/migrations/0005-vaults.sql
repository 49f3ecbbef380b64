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

-- target: the mcp_server_url of a static_bearer, the secret_name of an environment_variable. secret: an envelope (see
-- secrets), which is destroyed when the credential is archived.
create table vault_credentials (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  type text not null check (type in ('static_bearer', 'environment_variable')),
  display_name text,
  target text not null,
  allowed_hosts text[] not null default '{}',
  metadata jsonb not null default '{}',
  secret bytea,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  check ((secret is null) = (archived_at is not null))
);
create index vault_credentials_by_vault on vault_credentials (vault_id, id);
create unique index vault_credentials_by_target on vault_credentials (vault_id, type, target) where archived_at is null;

-- In the order in which they were given. Who gives a vault to a session locks its row.
alter table sessions add column vault_ids uuid[] not null default '{}';
create index sessions_by_vault on sessions using gin (vault_ids) where vault_ids <> '{}';
