-- Names the store that has the contents of this database's files, as the store names itself. Null until a service starts.
alter table database_identity add column blob_store text;
