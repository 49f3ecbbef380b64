-- credentials: where the secrets of repositories are, in the sandbox or outside.
alter table environments add column credentials text not null default 'inject' check (credentials in ('inject', 'proxy'));

-- From it come the placeholders of a session's secrets, the same for as long as it lives. It is no secret: a placeholder is
-- worth nothing outside of the session's own sandbox.
alter table sessions add column placeholder_seed uuid not null default gen_random_uuid();
