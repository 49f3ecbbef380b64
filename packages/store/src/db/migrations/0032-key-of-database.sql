-- Names the secret key with which the database is used, by a keyed hash of its id. Null until a service starts on it.
alter table database_identity add column key_fingerprint bytea;
