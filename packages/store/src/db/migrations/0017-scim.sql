-- The group of an identity provider whose members are admins; null while groups decide about no role.
alter table organizations add column admin_group text;

-- What an identity provider says of a user by SCIM. Users without a row are shown to it too.
create table scim_users (
  user_id uuid primary key references users on delete cascade,
  organization_id uuid not null references organizations on delete cascade,
  user_name text not null,
  external_id text,
  display_name text,
  -- The parts of the name, and the addresses, in SCIM's form.
  name jsonb,
  emails jsonb not null default '[]',
  -- What the provider said last. Whether the user is disabled is in users.disabled_at.
  active boolean not null,
  -- Since when the user is no resource of SCIM.
  deleted_at timestamptz,
  updated_at timestamptz not null default now()
);
create unique index scim_users_by_user_name on scim_users (organization_id, lower(user_name collate "C")) where deleted_at is null;
create index scim_users_by_any_user_name on scim_users (organization_id, lower(user_name collate "C"));
create index scim_users_by_external_id on scim_users (organization_id, external_id) where external_id is not null;
create index users_by_lower_email on users (lower(email collate "C"));

create table scim_groups (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  display_name text not null,
  external_id text,
  updated_at timestamptz not null default now()
);
create unique index scim_groups_by_display_name on scim_groups (organization_id, lower(display_name collate "C"));
create index scim_groups_by_organization on scim_groups (organization_id, id);

create table scim_group_members (
  group_id uuid not null references scim_groups on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (group_id, user_id)
);
create index scim_group_members_by_user on scim_group_members (user_id, group_id);
