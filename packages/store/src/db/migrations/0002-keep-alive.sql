-- Seconds for which the sandbox of a session stays open while processes run that its commands left.
alter table environments add column keep_alive_seconds integer not null default 0;
