-- The request that receives the content of a pending file, in any process, and until when it has it without a sign of life.
alter table files
  add column receiver text,
  add column received_until timestamptz;
