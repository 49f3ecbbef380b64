-- The span of the request that last made the session due, as the header traceparent says it: its turn is a part of that trace.
alter table sessions add column traceparent text;
