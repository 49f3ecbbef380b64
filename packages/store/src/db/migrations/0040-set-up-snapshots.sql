-- A snapshot may be what an environment's repository_setup_script made of another one, its base, over which it lies. setup: a digest of
-- the script and of all that its result depends on; empty for a plain clone.
alter table repository_snapshots
  add column setup text not null default '',
  add column base_id uuid references repository_snapshots,
  drop constraint repository_snapshots_mirror_id_checkout_refs_digest_key,
  add unique (mirror_id, checkout, refs_digest, setup);
create index repository_snapshots_by_base on repository_snapshots (base_id) where base_id is not null;
