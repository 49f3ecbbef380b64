-- awaited_calls: events that announced calls for which a client has neither confirmation nor result to send yet. Follows from
-- the log; kept so that of two answers to a call one is taken, decided under the lock of the session's row.
alter table sessions add column awaited_calls uuid[] not null default '{}';
