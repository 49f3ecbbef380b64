-- A template may be what an environment's repository_setup_script made of another one, its base, over which it lies. setup: a digest of
-- the script and of all that its result depends on; empty for a plain clone.
alter table repository_templates
  add column setup text not null default '',
  add column base_id uuid references repository_templates,
  drop constraint repository_templates_mirror_id_checkout_refs_digest_key,
  add unique (mirror_id, checkout, refs_digest, setup);
create index repository_templates_by_base on repository_templates (base_id) where base_id is not null;
