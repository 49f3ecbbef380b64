-- Of a memory_store: what the session was given it for, and its name and description of then, which the agent is told
-- as long as the session lives.
alter table session_resources
  add column memory_access text check (memory_access in ('read_write', 'read_only')),
  add column memory_instructions text,
  add column memory_name text,
  add column memory_description text;
alter table session_resources drop constraint session_resources_type_check;
alter table session_resources add constraint session_resources_type_check
  check (type in ('hosted_repository', 'git_repository', 'file', 'memory_store'));

-- The files of a mounted store on the session's disk as they were when they were last the same as the memories: what
-- differs from these was changed in the container. stamp: the file's size, times and inode; null when it has to be read.
create table memory_mount_files (
  session_id uuid not null references sessions on delete cascade,
  memory_store_id uuid not null references memory_stores on delete cascade,
  path text collate "C" not null,
  content_sha256 text not null,
  stamp text,
  primary key (session_id, memory_store_id, path)
);
create index memory_mount_files_by_store on memory_mount_files (memory_store_id);
