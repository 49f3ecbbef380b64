-- What a service does: `all`, or only `api` or `runner`. Null: it runs a version that does not tell it, which does all. A service
-- that is only an API has no disks and runs no sessions; its row tells that it is there, and with which settings.
alter table hosts add column role text check (role in ('all', 'api', 'runner'));
