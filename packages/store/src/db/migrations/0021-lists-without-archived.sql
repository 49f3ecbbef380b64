-- Lists leave out what is archived unless it is asked for: a page of them costs what it shows, however much is archived.
create index agents_current_by_owner on agents (owner_id, id) where archived_at is null;
create index agents_current_by_organization on agents (organization_id, id) where archived_at is null;
create index environments_current_by_owner on environments (owner_id, id) where archived_at is null;
create index environments_current_by_organization on environments (organization_id, id) where archived_at is null;
create index vaults_current_by_owner on vaults (owner_id, id) where archived_at is null;
create index vaults_current_by_organization on vaults (organization_id, id) where archived_at is null;
create index memory_stores_current_by_owner on memory_stores (owner_id, id) where archived_at is null;
create index memory_stores_current_by_organization on memory_stores (organization_id, id) where archived_at is null;
create index skills_current_by_owner on skills (owner_id, id) where archived_at is null;
create index skills_current_by_organization on skills (organization_id, id) where archived_at is null;
