-- runner_crashes: how often in a row the process that ran the session's turn crashed or froze; a turn that ends makes it 0.
-- trial_epoch: the lease under which a session with crashes has begun its turn. set_aside_at: since when no turn of it is run.
alter table sessions add column runner_crashes integer not null default 0;
alter table sessions add column trial_epoch bigint;
alter table sessions add column set_aside_at timestamptz;

create index sessions_set_aside on sessions (set_aside_at) where set_aside_at is not null;
