-- The token that created another. A token that is not independent is revoked with it. Without a parent: made by the
-- operator, or before parents were recorded.
alter table tokens
  add column parent_id uuid references tokens,
  add column independent boolean not null default false;
create index tokens_by_parent on tokens (parent_id) where parent_id is not null;
