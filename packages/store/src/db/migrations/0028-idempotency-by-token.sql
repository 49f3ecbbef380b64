-- A key belongs to the token that sent it, since tokens of one principal differ in scopes. Of rows from before, only the
-- principal is known: token_id is its uuid there. They expire after 24 hours like all others.
alter table idempotency_keys rename column principal_id to token_id;
