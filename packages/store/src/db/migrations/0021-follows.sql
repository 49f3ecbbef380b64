-- How sessions follow their pull requests until these are merged. One pull request is followed by one session.
create table session_follows (
  session_id uuid primary key references sessions on delete cascade,
  max_attempts integer not null,
  -- As the API takes it; null for no bound.
  max_list_cost jsonb,
  conflicts text not null check (conflicts in ('merge', 'rebase')),
  status text not null default 'waiting' check (status in ('waiting', 'watching', 'stopped')),
  attempts integer not null default 0,
  -- As the API returns it.
  stopped_reason jsonb,
  -- The pull request, once there is one.
  resource_id uuid references session_resources on delete set null,
  host text,
  repository text,
  number integer,
  url text,
  branch text,
  -- The commit of the branch that the session's clone pushed, as it was seen last.
  head text,
  -- Whether the next commit of the branch counts as such, since follow was set anew after it.
  accepts_head boolean not null default false,
  -- Keys of what the agent was told, or what was left out.
  taken text[] not null default '{}',
  -- Keys of what the agent is to be told, and since when there has been nothing new.
  gathered text[] not null default '{}',
  gathered_at timestamptz,
  -- Who was left out since the agent was told something, as the event has it.
  left_out jsonb not null default '[]',
  -- Comments that Berth answers once the agent has pushed, and the branch's commit when the agent was told of them.
  answers jsonb not null default '[]',
  answers_head text,
  -- Whether the request says that it is followed, or that it no longer is.
  is_announced boolean not null default false,
  failure text,
  failures integer not null default 0,
  -- When the host is asked next, and the wait before that; null when nothing is left to ask or say.
  next_look_at timestamptz,
  wait_ms double precision not null default 0,
  -- Who asks now, and until when that counts.
  claim uuid,
  claimed_until timestamptz
);
create index session_follows_by_due on session_follows (next_look_at) where next_look_at is not null;
create unique index session_follows_by_pull_request on session_follows (host, repository, number) where status = 'watching';
