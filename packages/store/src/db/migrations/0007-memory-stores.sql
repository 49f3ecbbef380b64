-- last_version counts the changes of a store's memories, under the lock of its row.
create table memory_stores (
  id uuid primary key,
  organization_id uuid not null references organizations,
  owner_type text not null check (owner_type in ('user', 'organization')),
  owner_id uuid not null,
  name text not null,
  description text,
  metadata jsonb not null default '{}',
  last_version bigint not null default 0,
  archived_at timestamptz,
  updated_at timestamptz not null default now()
);
create index memory_stores_by_owner on memory_stores (owner_id, id);
create index memory_stores_by_organization on memory_stores (organization_id, id);

create table memories (
  id uuid primary key,
  memory_store_id uuid not null references memory_stores on delete cascade,
  version_id uuid not null,
  path text collate "C" not null,
  content text not null,
  content_sha256 text not null,
  size_bytes integer not null,
  updated_at timestamptz not null default now(),
  unique (memory_store_id, path)
);
create index memories_by_store on memories (memory_store_id, id);

-- Each change of a memory, also after it was deleted. created_by and redacted_by: as the API answers them.
-- session_id is that of created_by; the session may be gone.
create table memory_versions (
  id uuid primary key,
  memory_store_id uuid not null references memory_stores on delete cascade,
  memory_id uuid not null,
  operation text not null check (operation in ('created', 'modified', 'deleted')),
  path text,
  content text,
  content_sha256 text,
  size_bytes integer,
  created_by json not null,
  session_id uuid,
  redacted_at timestamptz,
  redacted_by json
);
create index memory_versions_by_store on memory_versions (memory_store_id, id);
create index memory_versions_by_memory on memory_versions (memory_id, id);
create index memory_versions_by_session on memory_versions (session_id, id) where session_id is not null;

-- As with files, a session that has ended still tells which stores it had, also when those are deleted.
alter table session_resources add column memory_store_id uuid;
create index session_resources_by_memory_store on session_resources (memory_store_id) where memory_store_id is not null;
