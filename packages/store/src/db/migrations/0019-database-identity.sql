-- Names this database, also in a copy that was restored elsewhere. A data directory remembers with which one it belongs.
create table database_identity (
  id uuid not null default gen_random_uuid(),
  only_one boolean primary key default true check (only_one)
);
insert into database_identity default values;

-- How many files one owner has announced and not sent is looked at with each that is announced.
create index files_pending_by_owner on files (owner_id) where status = 'pending';
