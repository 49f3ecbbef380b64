-- Sessions with a turn of an owner whose turns at once are limited. A permit counts as long as the lease that it was given to.
create table turn_permits (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  lease_owner text not null,
  lease_epoch bigint not null
);
create index turn_permits_by_organization on turn_permits (organization_id);

-- For how long sandboxes of an owner were open, by day (UTC).
create table sandbox_usage (
  owner_id uuid not null,
  day date not null,
  organization_id uuid not null references organizations,
  seconds double precision not null,
  primary key (owner_id, day)
);
create index sandbox_usage_by_organization on sandbox_usage (organization_id, day);

-- What a session's disk took on its host when it was last measured.
create table disk_usage (
  session_id uuid primary key references sessions on delete cascade,
  organization_id uuid not null,
  owner_id uuid not null,
  bytes bigint not null
);
create index disk_usage_by_organization on disk_usage (organization_id);
create index disk_usage_by_owner on disk_usage (owner_id);
