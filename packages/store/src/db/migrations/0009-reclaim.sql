-- idle_since: when a worker gave the session back with nothing to do; null from when something makes it due until then. A
-- session whose disk lies on a machine and that has been idle for long is reclaimed: its container and disk go.
-- outputs_due: a sandbox was open since the outputs were last collected in whole.
alter table sessions add column idle_since timestamptz default now();
alter table sessions add column outputs_due boolean not null default false;
update sessions set outputs_due = true where disk_host is not null;
create index sessions_reclaimable on sessions (disk_host, idle_since)
  where disk_host is not null and lease_owner is null and pending_at is null;

-- What lay below the outputs when it was last collected, by its path in the bytes of the file system. sha256 is null for what
-- was left out. stamp tells that a file is unchanged without reading it; null when it has to be read again.
create table session_outputs (
  session_id uuid not null references sessions on delete cascade,
  path bytea not null,
  sha256 text,
  stamp text,
  primary key (session_id, path)
);
