-- A page of what is not archived costs what it shows, however much is archived, with each filter of sessions too.
create index sessions_current_by_agent on sessions (agent_id, id) where archived_at is null;
create index sessions_current_by_environment on sessions (environment_id, id) where archived_at is null;
create index sessions_current_by_owner_status on sessions (owner_id, status, id) where archived_at is null;
create index sessions_current_by_organization_status on sessions (organization_id, status, id) where archived_at is null;
create index vault_credentials_current_by_vault on vault_credentials (vault_id, id) where archived_at is null;
