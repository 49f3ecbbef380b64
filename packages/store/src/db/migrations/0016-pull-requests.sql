-- The pull requests of a session's branches, as the host of the repository said last. A row is made when the branch of the clone is known.
create table session_pull_requests (
  resource_id uuid primary key references session_resources on delete cascade,
  -- Those that were pushed, the current one first. While there is none, the host is not asked.
  branches text[] not null default '{}',
  -- The session's last event before they were read.
  branches_seq bigint not null,
  -- As the API returns them.
  found jsonb not null default '[]',
  refreshed_at timestamptz,
  -- When the host was asked last. If it did not say all: why, and until when it asks to wait.
  asked_at timestamptz,
  failure text,
  retry_at timestamptz,
  -- Who asks the host now, and until when its answer counts.
  claim uuid,
  claimed_until timestamptz
);
