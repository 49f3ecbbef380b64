-- What tool calls that run have printed, without secrets, its beginning and end: the result of one whose process died begins with it.
-- The rows of a session are deleted at the end of the turn.
create table call_outputs (
  session_id uuid not null references sessions on delete cascade,
  -- The event that announced the call.
  call_id uuid not null,
  printed text not null,
  primary key (session_id, call_id)
);
