-- A sign-in to the console is a token whose secret is good as a cookie only.
alter table tokens
  drop constraint tokens_kind_check,
  add constraint tokens_kind_check check (kind in ('pat', 'sat', 'console')),
  -- How the user signed in; null for other tokens.
  add column signed_in_by text check (signed_in_by in ('token', 'link', 'oidc')),
  add constraint tokens_signed_in_check check (num_nulls(signed_in_by) = (kind <> 'console')::int);
-- The sweep of sign-ins that ended.
create index tokens_console_expiry on tokens (expires_at) where kind = 'console';

-- Links that sign in to the console, each once. They are deleted within about an hour, and have no foreign keys, so that they hold
-- nothing back.
create table console_links (
  -- SHA-256 of the code in the link.
  code_hash bytea primary key,
  -- The token that created it, and whose sign-in it gives.
  token_id uuid not null,
  expires_at timestamptz not null
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

-- Which user an account at an identity provider is.
create table user_identities (
  issuer text not null,
  -- The account's id there.
  subject text not null,
  user_id uuid not null references users on delete cascade,
  primary key (issuer, subject),
  unique (user_id, issuer)
);
