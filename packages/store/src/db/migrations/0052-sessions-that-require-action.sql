-- Few sessions wait for a client at a time: they are found without reading the others, however many these are.
create index sessions_requiring_action_by_owner on sessions (owner_id, id) where awaited_calls <> '{}';
create index sessions_requiring_action_by_organization on sessions (organization_id, id) where awaited_calls <> '{}';
