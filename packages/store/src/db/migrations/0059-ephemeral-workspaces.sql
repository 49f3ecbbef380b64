-- workspace: how long sessions have their disk. runtime_class: of the pods of sandboxes; null: the operator's.
alter table environments
  add column workspace text not null default 'persistent' check (workspace in ('persistent', 'ephemeral')),
  add column runtime_class text;

-- The disk was made when the environment said that it is ephemeral. It is removed once the session rests, if the environment still says so.
alter table sessions add column disk_ephemeral boolean not null default false;
create index sessions_with_ephemeral_disks on sessions (home, idle_since)
  where disk_ephemeral and home is not null and lease_owner is null and pending_at is null;
