-- Finds whose sessions are due, owner by owner, however many one of them has.
create index sessions_due_by_owner on sessions (organization_id, owner_id, pending_at)
  where pending_at is not null and lease_owner is null;
