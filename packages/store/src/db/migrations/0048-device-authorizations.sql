-- Logins that wait until a user approves them elsewhere. Nobody owns a row before that. It is deleted within about an hour, and has no
-- foreign keys, so that it holds nothing back.
create table device_authorizations (
  id uuid primary key,
  -- SHA-256 of the code that the device polls with.
  device_code_hash bytea not null unique,
  -- HMAC of the short code that the user types, with a key of the installation: a plain hash of it could be guessed.
  user_code_hash bytea not null unique,
  -- In the words of what asks.
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
