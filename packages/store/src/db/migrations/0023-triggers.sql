-- What makes a deployment run when something happens elsewhere.
create table deployment_triggers (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  type text not null,
  name text,
  -- An envelope of the secret by which the sender signs.
  secret bytea not null,
  filter jsonb not null,
  connection_id uuid,
  site_url text,
  -- An envelope of the token by which it answers; null for none.
  token bytea,
  allowed_users text[] not null,
  label text,
  mention text,
  max_runs_per_hour integer not null,
  updated_at timestamptz not null default now()
);
create index deployment_triggers_by_deployment on deployment_triggers (deployment_id, id);

-- What senders delivered. A delivery counts once, by the sender's id of it.
create table trigger_deliveries (
  id uuid primary key,
  trigger_id uuid not null references deployment_triggers on delete cascade,
  delivery_id text not null,
  -- Of the body, where the signature covers nothing else; null for others.
  digest bytea,
  event text not null,
  author text,
  status text not null check (status in ('pending', 'started', 'continued', 'ignored', 'refused', 'failed')),
  reason text,
  -- Where it belongs, such as `acme/widget#12`; null for a session of its own.
  thread text,
  -- What was read of the body: kept until it is handed on and answered.
  work json,
  session_id uuid,
  -- The session's last event before the agent's answer to it.
  seq bigint,
  -- What is to be said where it was asked: that a session began, then what came of it. Null for nothing.
  answer text check (answer in ('begin', 'end')),
  answer_error text,
  -- When it is handed on, or answered. Null when nothing is left to do.
  due_at timestamptz,
  failures integer not null default 0,
  -- Who works on it, and until when that counts.
  claim uuid,
  claimed_until timestamptz
);
create unique index trigger_deliveries_once on trigger_deliveries (trigger_id, delivery_id);
create unique index trigger_deliveries_once_by_body on trigger_deliveries (trigger_id, digest) where digest is not null;
create index trigger_deliveries_by_trigger on trigger_deliveries (trigger_id, id);
create index trigger_deliveries_by_status on trigger_deliveries (trigger_id, status, id);
create index trigger_deliveries_by_due on trigger_deliveries (due_at) where due_at is not null;
create index trigger_deliveries_pending on trigger_deliveries (trigger_id, thread, id) where status = 'pending';

-- The sessions of threads, in which later deliveries become messages.
create table trigger_threads (
  trigger_id uuid not null references deployment_triggers on delete cascade,
  thread text not null,
  session_id uuid not null references sessions on delete cascade,
  primary key (trigger_id, thread)
);
create index trigger_threads_by_session on trigger_threads (session_id);

-- What a sender delivered that made a deployment run: its kind, and its own id.
alter table deployment_runs add column source text, add column delivery_id text;
