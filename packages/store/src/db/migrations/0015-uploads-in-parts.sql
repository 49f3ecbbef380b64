-- A pending file may not know its size yet. uploaded_bytes: how much of its content is on disk to stay.
alter table files
  alter column size_bytes drop not null,
  add column uploaded_bytes bigint not null default 0;
create index files_pending on files (updated_at) where status = 'pending';
