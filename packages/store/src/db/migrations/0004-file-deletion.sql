-- A session that has ended still tells which files it had, also when those are deleted. Who mounts a file locks its row.
alter table session_resources drop constraint session_resources_file_id_fkey;
create index session_resources_by_file on session_resources (file_id) where file_id is not null;
create index files_by_content on files (sha256) where sha256 is not null;
