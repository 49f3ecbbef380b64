-- instructions: what a server says of its use, as the system prompt has it; null for none, and for sessions that began before.
-- is_stale: the server is asked for its tools again by the next turn. times_asked: how often that was done.
alter table session_mcp_tools add column instructions text;
alter table session_mcp_tools add column is_stale boolean not null default false;
alter table session_mcp_tools add column times_asked int not null default 0;
