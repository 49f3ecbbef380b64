-- As of a user: the tokens of a service account that is disabled are refused.
alter table service_accounts add column disabled_at timestamptz;
