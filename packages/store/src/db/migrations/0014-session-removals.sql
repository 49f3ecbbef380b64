-- Files that a session had and that may still lie in its sandbox or on its disk. Whoever holds the session takes each away
-- and then its row; one whose place has another file by then is there no more.
create table session_removals (
  resource_id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  mount_path text not null
);
create index session_removals_by_session on session_removals (session_id, resource_id);
