-- What an MCP server was found to offer when the session first asked it; the same for as long as the session lives.
create table session_mcp_tools (
  session_id uuid not null references sessions on delete cascade,
  server_name text not null,
  tools json not null,
  discovered_at timestamptz not null default now(),
  primary key (session_id, server_name)
);
