-- Rules by which calls of a session run without a confirmation. The log has an event for each that was added or removed.
create table confirmation_rules (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  tool_name text not null,
  -- Null for a tool of Berth itself.
  mcp_server_name text,
  -- Null: all calls of the tool.
  command_prefix text,
  -- A creator, as in events.
  created_by json not null,
  unique nulls not distinct (session_id, tool_name, mcp_server_name, command_prefix)
);
create index confirmation_rules_by_session on confirmation_rules (session_id, id);

-- The users and service accounts that sent events, whose names the log has. An erasure removes the user's name there.
alter table sessions add column sender_ids uuid[] not null default '{}';
