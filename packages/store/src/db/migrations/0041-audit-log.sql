-- Who changed what, and from where: one row for each request that changed something and for each command of an administrator, written
-- in the transaction of the change. Rows have ids and the names of operations, nothing that was written or said. They have no foreign
-- keys: what they name may be deleted.
create table audit_entries (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- Null for a command of an administrator that is not about one organization.
  organization_id uuid,
  -- operator: an administrator on the installation's machine.
  actor_type text not null check (actor_type in ('user', 'service_account', 'operator')),
  actor_id uuid,
  token_id uuid,
  -- Of the API (agents.create), or of the command (admin users disable).
  operation text not null,
  -- As the API shows them, the outer one first: of the path, then of what was created.
  resources text[] not null,
  -- Address of the client; for an administrator the name of the machine's user.
  client text not null,
  -- The first product of the client's User-Agent.
  user_agent text,
  request_id text
);

create index audit_entries_organization on audit_entries (organization_id, id);
create index audit_entries_resources on audit_entries using gin (resources);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log can only be appended to.';
end $$;

create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  execute function refuse_audit_change();
