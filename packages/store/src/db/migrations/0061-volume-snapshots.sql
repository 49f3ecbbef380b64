-- Snapshots of volumes with the repositories of a session and nothing else, of which the volumes of later sessions of its organization are made.
-- id: also of the object of the cluster; what has no row is deleted there. place: the home that has them. repositories: a digest of
-- urls, mount paths and checkouts. refs_digest: of what the hosts showed. bytes: of the volume. taken_at: null while it is taken, and
-- when that failed. failed_at: no volume could be made of it. clone_seconds: how long it took to clone what is in it.
create table volume_snapshots (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  place text not null,
  repositories text not null,
  refs_digest text not null default '',
  bytes bigint not null,
  begun_at timestamptz not null default now(),
  taken_at timestamptz,
  used_at timestamptz not null default now(),
  failed_at timestamptz,
  clone_seconds real not null default 0
);
create index volume_snapshots_by_repositories on volume_snapshots (organization_id, place, repositories);
create unique index volume_snapshots_being_taken on volume_snapshots (organization_id, place, repositories) where taken_at is null;

-- The disk is made of a snapshot and not yet what the session's own credentials may see. Such a disk is never gone on with.
alter table sessions add column disk_unverified boolean not null default false;
