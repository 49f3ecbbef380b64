-- Few sessions are set aside: they are found without reading the others, by last activity too.
create index sessions_set_aside_by_owner on sessions (owner_id, id) where set_aside_at is not null;
create index sessions_set_aside_by_organization on sessions (organization_id, id) where set_aside_at is not null;
create index sessions_set_aside_by_owner_activity on sessions (owner_id, updated_at, id) where set_aside_at is not null;
create index sessions_set_aside_by_organization_activity on sessions (organization_id, updated_at, id)
  where set_aside_at is not null;
