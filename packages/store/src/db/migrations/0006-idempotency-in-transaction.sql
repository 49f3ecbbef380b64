-- An answer is kept by the transaction that did the work, so that no row stands for work that is under way.
delete from idempotency_keys where status is null or answer is null;
alter table idempotency_keys
  drop column locked_until,
  alter column status set not null,
  alter column answer set not null;
