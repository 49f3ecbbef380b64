-- username: what a git_repository logs in with, beside the password that its secret is.
alter table session_resources add column username text;
alter table session_resources drop constraint session_resources_type_check;
alter table session_resources add constraint session_resources_type_check
  check (type in ('hosted_repository', 'git_repository', 'file'));
