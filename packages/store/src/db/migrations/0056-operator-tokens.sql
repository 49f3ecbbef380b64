-- Tokens of the operator, who belongs to no organization. They are good for /api/v1/admin alone. hash is SHA-256 of the secret.
-- parent_id is the token that created it; null: it was created on the machine of the installation.
create table operator_tokens (
  id uuid primary key,
  name text not null,
  hash bytea not null unique,
  last4 text not null,
  parent_id uuid references operator_tokens,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_tokens_by_parent on operator_tokens (parent_id) where parent_id is not null;

-- For lists of one organization, newest first, and of one name.
create index users_by_organization on users (organization_id, id);
create index service_accounts_by_organization on service_accounts (organization_id, id);
create index service_accounts_by_name on service_accounts (name);
