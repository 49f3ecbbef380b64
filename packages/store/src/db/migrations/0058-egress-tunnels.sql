-- Egress of sandboxes on other hosts. A sidecar beside each sandbox connects to a service with the role egress, which reads here what the
-- sandbox may reach.
--
-- Authorities that all services of the installation share: `tunnels` signs the certificates of both ends of a tunnel, `hosts` those
-- that sandboxes are shown for hosts to which secrets are sent.
create table egress_authorities (
  purpose text primary key check (purpose in ('tunnels', 'hosts')),
  certificate text not null,
  -- Sealed.
  key bytea not null
);

-- The tunnel of a session's sandbox. It is good for one lease (owner, epoch), and the row is what the sandbox may reach. token_hash is SHA-256 of its
-- token. A change of the policy raises the revision.
create table egress_tunnels (
  session_id uuid primary key references sessions on delete cascade,
  id uuid not null unique,
  owner text not null,
  epoch bigint not null,
  token_hash bytea not null,
  policy jsonb not null,
  revision bigint not null default 1
);
