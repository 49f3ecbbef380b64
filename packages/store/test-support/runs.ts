import { formatId, newUuid } from "@berth/contract";
import type { Queryable } from "../src/db/statement.ts";
import { type ClaimedRow, type Lease, leaseOf } from "../src/leases/lease.ts";

/** The rows that a session refers to. */
export interface Seed {
  organizationId: string;
  agentId: string;
  environmentId: string;
}

export interface SessionSeed {
  /** The session's uuid. Default: a new one. */
  id?: string;
  model?: string;
  pending?: boolean;
  variables?: Record<string, string>;
}

/** Creates an organization with an agent and an environment. */
export async function seed(db: Queryable): Promise<Seed> {
  const [organizationId, agentId, environmentId] = [newUuid(), newUuid(), newUuid()];
  const owner = ["organization", organizationId];
  await db.query({
    text: "insert into organizations (id, name) values ($1, $2)",
    values: [organizationId, organizationId],
  });
  await db.query({
    text: "insert into agents (id, organization_id, owner_type, owner_id, version) values ($1, $2, $3, $4, 1)",
    values: [agentId, organizationId, ...owner],
  });
  await db.query({
    text: `insert into environments
      (id, organization_id, owner_type, owner_id, name, config, environment_variables, resources)
      values ($1, $2, $3, $4, 'test', $5, '{}', $6)`,
    values: [
      environmentId,
      organizationId,
      ...owner,
      {
        type: "cloud",
        networking: {
          type: "limited",
          allowed_hosts: [],
          allow_package_managers: false,
          allow_mcp_servers: false,
        },
        packages: { apt: [], npm: [], pip: [] },
        setup_script: null,
        repository_setup_script: null,
        repository_setup_required: false,
      },
      { cpus: 1, memory_mb: 512, pids: 256, disk_mb: null },
    ],
  });
  return { organizationId, agentId, environmentId };
}

/** Inserts an idle session. Returns its uuid. */
export async function seedSession(db: Queryable, from: Seed, session: SessionSeed = {}): Promise<string> {
  const { id = newUuid() } = session;
  await db.query({
    text: `insert into sessions
      (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, environment_variables, pending_at)
      values ($1, $2, 'organization', $2, $3, $4, $5, $6, case when $7 then now() end)`,
    values: [
      id,
      from.organizationId,
      from.agentId,
      agentOf(from.agentId, session.model ?? "rehearsal/steps"),
      from.environmentId,
      session.variables ?? {},
      session.pending ?? false,
    ],
  });
  return id;
}

/** Leases the session for an hour, as a claim would. */
export async function seedLease(db: Queryable, sessionId: string, owner: string): Promise<Lease> {
  const { rows } = await db.query<ClaimedRow>({
    text: `update sessions set lease_owner = $2, lease_until = now() + interval '1 hour', lease_epoch = lease_epoch + 1
      where id = $1 returning id, organization_id, lease_epoch`,
    values: [sessionId, owner],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no session ${sessionId}.`);
  return leaseOf(row, owner);
}

function agentOf(agentId: string, model: string): object {
  return {
    id: formatId("agent", agentId),
    type: "agent",
    name: "test",
    description: null,
    model: { id: model, effective_context_window: 200_000 },
    system: "",
    tools: [
      {
        type: "agent_toolset_20260401",
        enabled_tools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep"],
      },
    ],
    mcp_servers: [],
    skills: [],
    version: 1,
  };
}
