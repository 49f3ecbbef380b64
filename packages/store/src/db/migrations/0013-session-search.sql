-- The words of sessions, for searches. They follow from sessions, session_resources and events, some seconds late.
create table session_words (
  session_id uuid primary key references sessions on delete cascade,
  -- The title and the last event whose words are here.
  title text not null,
  last_seq bigint not null,
  -- Words of the title and the repositories, and the word of the organization, with which each search begins.
  head tsvector not null,
  -- Words of messages of users and the agent, without positions.
  said tsvector not null default '',
  words tsvector not null generated always as (head || said) stored
);
create index session_words_words on session_words using gin (words) with (fastupdate = off);

-- How far the sessions were read, in order of their last activity: one row.
create table session_words_state (id boolean primary key default true check (id), read_until timestamptz not null);
insert into session_words_state (read_until) values ('-infinity');
create index sessions_by_activity on sessions (updated_at, id) where deleted_at is null;
