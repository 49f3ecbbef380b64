-- What compactions of a session did, in tokens; the sums of `compaction` in the API are made of them. By an append of the run that holds
-- the lease, in the statement that stores the events. The release before leaves them as they are.
alter table sessions
  add column compactions integer not null default 0,
  -- By the newest compaction: the estimated tokens of the context before it, less those after it.
  add column compaction_removed_tokens bigint not null default 0,
  -- Those, once for each request that was answered since.
  add column compaction_avoided_tokens bigint not null default 0,
  -- Of the contexts that the compactions left.
  add column compaction_left_tokens bigint not null default 0,
  -- Of the requests that wrote the summaries.
  add column summary_input_tokens bigint not null default 0,
  add column summary_output_tokens bigint not null default 0,
  add column summary_cache_read_input_tokens bigint not null default 0,
  add column summary_cache_creation_input_tokens bigint not null default 0;
