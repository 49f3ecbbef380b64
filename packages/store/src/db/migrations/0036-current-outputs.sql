-- Finds whether a session has a newer output of a name. The name itself may be too long for an index.
create index files_by_scope_and_name on files (scope_session_id, md5(filename), id) where scope_session_id is not null;
