-- last_version: the highest number that a version was ever given. Names of archived skills are taken.
create table skills (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  display_title text,
  metadata jsonb not null default '{}',
  last_version integer not null,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint skills_by_name unique (owner_id, name)
);
create index skills_by_owner on skills (owner_id, id);
create index skills_by_organization on skills (organization_id, id);

-- files: an array of {path, offset, size_bytes, executable}; the content with the hash sha256 has them one behind the other.
create table skill_versions (
  id uuid primary key,
  skill_id uuid not null references skills on delete cascade,
  version integer not null,
  description text not null,
  sha256 text not null,
  size_bytes bigint not null,
  files json not null,
  unique (skill_id, version)
);
create index skill_versions_by_skill on skill_versions (skill_id, id);
create index skill_versions_by_content on skill_versions (sha256);

-- The skills of the newest version of each agent; version null: the newest when a session is created.
create table agent_skills (
  agent_id uuid not null references agents on delete cascade,
  skill_id uuid not null references skills on delete cascade,
  version integer,
  primary key (agent_id, skill_id)
);
create index agent_skills_by_skill on agent_skills (skill_id);

-- What a session was created with. Rows of sessions that have ended hold no version back.
create table session_skills (
  session_id uuid not null references sessions on delete cascade,
  skill_version_id uuid not null references skill_versions on delete cascade,
  primary key (session_id, skill_version_id)
);
create index session_skills_by_version on session_skills (skill_version_id);
