-- Ports of sandboxes that browsers may open, each at an origin of its own.
create table port_previews (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  -- The first label of its host's name, of 130 random bits.
  label text not null unique,
  port integer not null check (port between 1 and 65535),
  -- A sender, as in events.
  created_by json not null,
  expires_at timestamptz not null
);
create index port_previews_by_session on port_previews (session_id, id);
create index port_previews_expiring on port_previews (expires_at);

-- Whether a sandbox is opened for the read, and a session claimed that nobody holds.
alter table workspace_reads add column opens boolean not null default true;
