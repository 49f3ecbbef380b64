-- For how many days an organization keeps its sessions, the events of sessions that have ended, and its files, where it is not what the
-- settings say. days null: without end.
create table retention (
  organization_id uuid not null references organizations,
  name text not null check (name in ('sessions', 'events', 'files')),
  days integer check (days >= 1),
  primary key (organization_id, name)
);

-- When the events of a session that has ended were deleted; null while it has them.
alter table sessions add column events_deleted_at timestamptz;

-- What Berth does by itself, as its settings say.
alter table audit_entries drop constraint audit_entries_actor_type_check;
alter table audit_entries add constraint audit_entries_actor_type_check
  check (actor_type in ('user', 'service_account', 'operator', 'service'));
