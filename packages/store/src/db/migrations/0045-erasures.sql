-- What was asked to be erased: a user or an organization, with all that belongs to it. deleted: how many rows of each kind are gone.
-- handed_over: uuids of the user's agents and environments that sessions of others use, which belong to the organization now. There are
-- no foreign keys: what it names is deleted.
create table erasures (
  id uuid primary key,
  subject_type text not null check (subject_type in ('user', 'organization')),
  subject_id uuid not null unique,
  organization_id uuid not null,
  deleted jsonb not null default '{}',
  handed_over jsonb not null default '[]',
  completed_at timestamptz
);

-- Contents of files and skills that were erased, until each is removed or is known to be another's, too.
create table erased_contents (
  erasure_id uuid not null references erasures,
  sha256 text not null,
  primary key (erasure_id, sha256)
);
