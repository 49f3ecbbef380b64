-- What the API asks of a session's disk, and what the runner that holds the session answers: rows for moments, between two processes
-- that may be on different machines. Whoever asked deletes the row; one that outlives its asker is deleted once it has expired. The
-- table is unlogged: after a crash of the database it is empty, and nobody waits any more.
create unlogged table workspace_reads (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  -- JSON, as text: both may have characters that jsonb cannot store.
  request text not null,
  expires_at timestamptz not null,
  answered_at timestamptz,
  answer text,
  -- Bytes of a file, which are not compressed: that would take longer than to store them.
  content bytea
);
alter table workspace_reads alter column answer set storage external, alter column content set storage external;
create index workspace_reads_waiting on workspace_reads (session_id) where answered_at is null;
create index workspace_reads_expiring on workspace_reads (expires_at);

-- The commit that a repository was cloned at, empty for one that had none, and the ready_at that this belongs to: a runner of an earlier
-- release puts a repository in place without recording it, and it is in the log then.
alter table session_resources add column base_commit text, add column base_ready_at timestamptz;
