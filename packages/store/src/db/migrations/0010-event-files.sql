-- The files that messages of a session name. A file is not deleted while a session that may still run has it in its log:
-- what the model was sent once, it is sent again with every request.
create table event_files (
  session_id uuid not null references sessions on delete cascade,
  file_id uuid not null,
  primary key (session_id, file_id)
);
create index event_files_by_file on event_files (file_id);
