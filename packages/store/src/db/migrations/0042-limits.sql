-- What an organization or one of its users may have or do, where it is not what the settings say. subject_id is the organization's or
-- the user's; value null: no limit.
create table limits (
  subject_id uuid not null,
  organization_id uuid not null references organizations,
  name text not null,
  value bigint check (value >= 0),
  primary key (subject_id, name)
);
