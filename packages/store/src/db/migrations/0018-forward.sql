-- What users have registered with Forward. id: of the first registration, by which they are listed. There is no reference to
-- the resource: one that is gone is left out of lists, and marks a place in them still.
create table forward_registrations (
  user_id uuid not null references users,
  type text not null check (type in ('skill', 'file', 'vault', 'environment')),
  resource_id uuid not null,
  id uuid not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, type, resource_id)
);
create index forward_registrations_by_user on forward_registrations (user_id, type, id);
