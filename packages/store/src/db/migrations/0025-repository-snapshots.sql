-- A repository as the sessions of one organization fetched it on one machine: a bare mirror, and snapshots made from it, which
-- sessions are shown as their own. Nothing of one organization's is ever shown to another's, whatever the url. uid: who owns
-- all of it on the host, and is no workspace's.
create sequence repository_uids minvalue 365536 maxvalue 369631 cycle;
create table repository_mirrors (
  id uuid primary key,
  organization_id uuid not null references organizations,
  host text not null,
  url text not null,
  uid integer not null unique,
  bytes bigint not null default 0,
  used_at timestamptz not null default now(),
  unique (organization_id, host, url)
);

-- Whole on the disk, and never changed. checkout: "branch NAME" or "commit SHA". refs_digest tells which branches and tags it has,
-- and with which objects.
create table repository_snapshots (
  id uuid primary key,
  mirror_id uuid not null references repository_mirrors,
  checkout text not null,
  refs_digest text not null,
  commit_sha text not null,
  bytes bigint not null,
  used_at timestamptz not null default now(),
  unique (mirror_id, checkout, refs_digest)
);

-- snapshot_id: what the session's disk shows the repository over, from before it is mounted until the disk is gone. The
-- reference keeps the snapshot.
alter table session_resources add column snapshot_id uuid references repository_snapshots;
create index session_resources_by_snapshot on session_resources (snapshot_id) where snapshot_id is not null;
