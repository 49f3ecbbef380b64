-- A session that was deleted is gone for all readers. Its row stays until a worker of the machine that holds its disk has
-- removed that, and goes then, with everything that belongs to it.
alter table sessions add column deleted_at timestamptz;
