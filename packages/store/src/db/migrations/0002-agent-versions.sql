-- An agent's metadata is part of each of its versions.
alter table agent_versions add column metadata jsonb not null default '{}';
update agent_versions set metadata = agents.metadata from agents where agents.id = agent_id;
alter table agents drop column metadata;

-- An environment that was deleted stays for the terminated sessions that name it, without what it held; its name is free.
alter table environments add column deleted_at timestamptz;
alter table environments drop constraint environments_owner_id_name_key;
create unique index environments_by_name on environments (owner_id, name) where deleted_at is null;
