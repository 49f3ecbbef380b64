-- A repository of a session may get its tokens from a connection. The token in use is in secret, as any other.
alter table session_resources
  add column connection_id uuid references connections on delete set null,
  add column repository_access text check (repository_access in ('read_write', 'read_only')),
  -- When the token in secret ends, and when the next one is due; null for one that does not end.
  add column token_expires_at timestamptz,
  add column token_renew_at timestamptz,
  -- The row of session_tokens for the token that is being made, and until when its maker may take.
  add column token_claim uuid,
  add column token_claimed_until timestamptz;
create index session_resources_by_connection on session_resources (connection_id) where connection_id is not null;

-- Tokens that connections made for repositories of sessions, or may have made: a row is stored before the host is asked. It is deleted
-- when the token was revoked, or has ended by itself, and outlives its session for that.
create table session_tokens (
  id uuid primary key,
  connection_id uuid not null references connections on delete cascade,
  session_id uuid not null,
  resource_id uuid not null,
  -- The full name at the host.
  repository text not null,
  -- An envelope; null until the token is made.
  token bytea,
  -- The token's id at the host, if it has one.
  host_id text,
  expires_at timestamptz,
  -- Of its revocation.
  attempts integer not null default 0,
  due_at timestamptz not null,
  failure text
);
create index session_tokens_by_connection on session_tokens (connection_id);
create index session_tokens_by_due on session_tokens (due_at);
