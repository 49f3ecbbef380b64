-- When the history of a session that waits for its user is to be summarised: shortly before its model's provider drops it from its cache.
alter table sessions add column summary_due_at timestamptz;
create index sessions_summary_due on sessions (summary_due_at) where summary_due_at is not null;
