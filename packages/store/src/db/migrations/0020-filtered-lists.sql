-- Pages of sessions that mount a store, and of sessions that are not archived among many that are, cost what they show.
drop index session_resources_by_memory_store;
create index session_resources_by_memory_store on session_resources (memory_store_id, session_id)
  where memory_store_id is not null;
create index sessions_current_by_owner on sessions (owner_id, id) where archived_at is null;
create index sessions_current_by_organization on sessions (organization_id, id) where archived_at is null;
create index sessions_by_owner_status on sessions (owner_id, status, id);
create index sessions_by_organization_status on sessions (organization_id, status, id);
