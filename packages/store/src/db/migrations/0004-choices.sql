-- What a session chose from files of its repositories: {"runtimes": …} as the API shows it. Null before.
alter table sessions add column choices jsonb;
