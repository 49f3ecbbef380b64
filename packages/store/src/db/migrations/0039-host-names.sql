-- name: of the machine, as its operator knows it; null while the host runs a version that does not tell it.
alter table hosts add column name text;
