-- What members make is private, or for the organization, unless they say otherwise.
alter table organizations add column default_visibility text not null default 'private'
  check (default_visibility in ('private', 'organization'));

-- What every member of the owner's organization may do with an object: null for nothing, which is private.
alter table agents add column organization_access text check (organization_access = 'read');
alter table environments add column organization_access text check (organization_access = 'read');
alter table skills add column organization_access text check (organization_access = 'read');
alter table vaults add column organization_access text check (organization_access = 'read');
alter table memory_stores add column organization_access text check (organization_access = 'read');
alter table files add column organization_access text check (organization_access = 'read');
alter table sessions add column organization_access text check (organization_access in ('read', 'write'));

-- What single users may do with an object of another one, of any of these tables.
create table shares (
  object_id uuid not null,
  kind text not null,
  user_id uuid not null references users on delete cascade,
  access text not null check (access in ('read', 'write')),
  created_at timestamptz not null default now(),
  primary key (object_id, user_id)
);
create index shares_by_user on shares (user_id, kind, object_id);

create function forget_shares() returns trigger language plpgsql as $$
begin
  delete from shares where object_id = old.id;
  return null;
end $$;
create trigger forget_shares after delete on agents for each row execute function forget_shares();
create trigger forget_shares after delete on environments for each row execute function forget_shares();
create trigger forget_shares after delete on skills for each row execute function forget_shares();
create trigger forget_shares after delete on vaults for each row execute function forget_shares();
create trigger forget_shares after delete on memory_stores for each row execute function forget_shares();
create trigger forget_shares after delete on files for each row execute function forget_shares();
create trigger forget_shares after delete on sessions for each row execute function forget_shares();

-- For lists of what an organization shares. Private objects are in none of them.
create index agents_shared on agents (organization_id, id) where organization_access is not null;
create index agents_current_shared on agents (organization_id, id)
  where organization_access is not null and archived_at is null;
create index environments_shared on environments (organization_id, id) where organization_access is not null;
create index environments_current_shared on environments (organization_id, id)
  where organization_access is not null and archived_at is null;
create index skills_shared on skills (organization_id, id) where organization_access is not null;
create index skills_current_shared on skills (organization_id, id)
  where organization_access is not null and archived_at is null;
create index vaults_shared on vaults (organization_id, id) where organization_access is not null;
create index vaults_current_shared on vaults (organization_id, id)
  where organization_access is not null and archived_at is null;
create index memory_stores_shared on memory_stores (organization_id, id) where organization_access is not null;
create index memory_stores_current_shared on memory_stores (organization_id, id)
  where organization_access is not null and archived_at is null;
create index files_shared on files (organization_id, id) where organization_access is not null;
create index sessions_shared on sessions (organization_id, id) where organization_access is not null;
create index sessions_shared_by_status on sessions (organization_id, status, id) where organization_access is not null;
create index sessions_current_shared on sessions (organization_id, id)
  where organization_access is not null and archived_at is null;
create index sessions_current_shared_by_status on sessions (organization_id, status, id)
  where organization_access is not null and archived_at is null;
create index sessions_current_shared_by_activity on sessions (organization_id, updated_at, id)
  where organization_access is not null and archived_at is null;
create index sessions_archived_shared_by_activity on sessions (organization_id, updated_at, id)
  where organization_access is not null and archived_at is not null;
create index sessions_current_shared_by_outcome on sessions (organization_id, last_turn_outcome, id)
  where organization_access is not null and archived_at is null and status = 'idle';
create index sessions_archived_shared_by_outcome on sessions (organization_id, last_turn_outcome, id)
  where organization_access is not null and archived_at is not null and status = 'idle';
create index sessions_current_shared_by_outcome_activity on sessions (organization_id, last_turn_outcome, updated_at, id)
  where organization_access is not null and archived_at is null and status = 'idle';
create index sessions_archived_shared_by_outcome_activity on sessions (organization_id, last_turn_outcome, updated_at, id)
  where organization_access is not null and archived_at is not null and status = 'idle';
