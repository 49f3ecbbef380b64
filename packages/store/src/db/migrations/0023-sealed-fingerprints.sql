-- What a keyed request was is kept within the sealed answer: a bare hash of a body lets whoever has a copy of the database
-- try passwords. Answers that were kept without it cannot be told apart any more.
delete from idempotency_keys;
alter table idempotency_keys drop column fingerprint;
