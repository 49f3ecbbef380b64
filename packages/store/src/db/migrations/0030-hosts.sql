-- A session's disk is at a place: `local:<installation>`, the data directory of one machine. Only processes of that place use
-- the disk, so only they run the session, until no host of it has been seen for long.
alter table sessions rename column disk_host to home;
update sessions set home = 'local:' || home where home is not null;

-- The services that run sessions of this database, one for each installation, however often it was restarted. seen_at: when it
-- last looked for work, by this database's clock. up_since: it has been seen without a long gap since then. settings: a
-- digest of each setting that decides results, by the setting's name. capacity: turns at once. draining: takes nothing new.
create table hosts (
  id text primary key,
  place text not null,
  version text not null,
  settings jsonb not null,
  capacity integer not null,
  draining boolean not null default false,
  up_since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index hosts_by_place on hosts (place);
