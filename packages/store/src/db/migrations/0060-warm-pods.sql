-- The name of a session's disk; null: it is named after the session. It counts while the session has the uid that is in it: a release that
-- does not know it gives the session another disk with another uid.
alter table sessions add column disk text;
create unique index sessions_with_named_disks on sessions (disk) where disk is not null;

-- Uids of named disks: above those of workspace_uids and repository_uids, so that no session has one that a disk of the pool has.
create sequence warm_uids minvalue 369632 maxvalue 399999 cycle;

-- Disks of the pool, with a sandbox that was made before a session needs it. key: of the shape, as the engine says. A row is there from before
-- its disk is made until after it is gone.
create table warm_disks (
  name text primary key,
  place text not null,
  key text not null,
  uid integer not null unique,
  state text not null check (state in ('making', 'ready', 'taken', 'leaving')),
  changed_at timestamptz not null default now()
);
create index warm_disks_ready on warm_disks (place, key, changed_at) where state = 'ready';

-- The shapes of the sandboxes for which sessions last got new disks.
create table warm_starts (
  place text not null,
  at timestamptz not null default clock_timestamp(),
  shape jsonb not null
);
create index warm_starts_last on warm_starts (place, at);

-- Which runner fills the pool of a place, and until when no other does.
create table warm_pools (
  place text primary key,
  keeper text not null,
  until timestamptz not null
);
