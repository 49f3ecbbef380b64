-- The form of what the session's model is sent before the history, as the release had it that created the session: it stays the same bytes.
alter table sessions add column prefix_version smallint not null default 0;
