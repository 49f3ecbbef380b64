-- What was on a session's disk, for a host that does not have the disk. The contents are in the blob store: an archive of what is
-- different from the repository snapshots that the disk showed, and an archive of each of these.
--
-- seq: of the last event before it was made. in_place: resources that were in place. bases: [{resource, snapshot, target, sha256, size}].
-- contents: the hashes of all archives. restoring: a disk is being made from it, which is not whole before that is over.
create table workspace_saves (
  session_id uuid primary key references sessions on delete cascade,
  sha256 text not null,
  -- Of all archives together.
  size_bytes bigint not null,
  saved_at timestamptz not null,
  seq bigint not null,
  in_place uuid[] not null,
  bases jsonb not null,
  contents text[] not null,
  restoring boolean not null default false
);
create index workspace_saves_by_content on workspace_saves using gin (contents);
