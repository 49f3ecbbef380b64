-- Versions of runtimes that environments can choose, as the operator's sources list them. They belong to the installation.

-- The last list of each runtime.
create table runtime_lists (
  runtime text primary key,
  -- Digest of the sources that were asked.
  sources text not null,
  listed_at timestamptz not null
);

-- Every release that was ever listed, since environments keep theirs; those of the last list have its time.
create table runtime_releases (
  runtime text not null,
  version text not null,
  architecture text not null,
  source text not null,
  -- What a sandbox makes it from: addresses with digests, packages, or paths of the system.
  contents jsonb not null,
  listed_at timestamptz not null,
  primary key (runtime, version, architecture)
);
