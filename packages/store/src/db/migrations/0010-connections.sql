-- Credentials at git hosts, from which sessions get tokens for repositories.
create table connections (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  display_name text not null,
  url text not null,
  -- Null for a token of a host whose API is not known.
  api_url text,
  -- The type of the credential, and its fields that are not secret.
  auth jsonb not null,
  -- An envelope.
  secret bytea not null,
  metadata jsonb not null default '{}',
  updated_at timestamptz not null default now()
);
create index connections_by_owner on connections (owner_id, id);
create index connections_by_organization on connections (organization_id, id);
