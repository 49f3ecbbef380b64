-- From which file of a repository the session also takes its environment: `devcontainer`. Null for none.
alter table session_resources add column environment_from text;
