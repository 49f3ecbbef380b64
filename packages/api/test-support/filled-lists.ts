import type { Queryable } from "@berth/store/db";

/** Number of rows in each list. */
export const ROWS = 10_000;

/** Number of archivable objects, the oldest ones, that are not archived. */
const CURRENT = 30;

/** SQL expression for the uuid of row `n` of any table. Ids ascend with `n`. */
const UUID = "(lpad(to_hex(1500000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid";

/** Returns the uuid of row `n` of any table. */
export function uuidOfRow(n: number): string {
  const time = (1_500_000_000_000 + n).toString(16).padStart(12, "0");
  const digits = `${time}70008000${n.toString(16).padStart(12, "0")}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns SQL for the last activity of session row `n`, in another order than creation. */
function activeAt(n: string): string {
  return `timestamptz '2026-01-01Z' + ${n} * 7919 % ${ROWS} * interval '1 second'`;
}

const FIRST_ROW = uuidOfRow(1);
const OWNED = "id, organization_id, owner_type, owner_id";
const SHARED = `${OWNED}, organization_access`;
const own = (organizationId: string, userId: string) => `${UUID}, '${organizationId}', 'user', '${userId}'`;
const ARCHIVED = `case when n > ${CURRENT} then now() end`;

/**
 * Fills every table that a list reads with rows of one user: most of them archived, and children of the first
 * row of their parent where a parent may have many. No table is ever analyzed automatically.
 */
export async function fillLists(db: Queryable, organizationId: string, userId: string): Promise<void> {
  const owned = own(organizationId, userId);
  // Every second object is shared with the organization.
  const shared = `${owned}, case when n % 2 = 1 then 'read' end`;
  const first = `'${FIRST_ROW}'`;
  const tables: Record<string, [columns: string, values: string]> = {
    organizations: ["id, name", `${UUID}, 'o' || n`],
    // They belong to the oldest organization, which no page shows, because counting members costs time per
    // member.
    users: ["id, organization_id, email, role", `${UUID}, ${first}, 'u' || n, 'member'`],
    service_accounts: ["id, organization_id, name", `${UUID}, ${first}, 's' || n`],
    operator_tokens: ["id, name, hash, last4", `${UUID}, 't', sha256(n::text::bytea), '0000'`],
    erasures: ["id, subject_type, subject_id, organization_id", `${UUID}, 'user', ${UUID}, ${first}`],
    tokens: [
      `${OWNED}, kind, principal_id, name, scopes, hash, last4`,
      `${owned}, 'pat', '${userId}', 't', '{}', sha256(n::text::bytea), '0000'`,
    ],
    agents: [`${SHARED}, version, archived_at`, `${shared}, 1, ${ARCHIVED}`],
    environments: [
      `${SHARED}, name, config, environment_variables, resources, archived_at`,
      `${shared}, 'e' || n, '{}', '{}', '{}', ${ARCHIVED}`,
    ],
    sessions: [
      `${SHARED}, agent_id, agent, environment_id, deployment_id, archived_at, status, last_turn_outcome, last_turn_ended_at, updated_at, repository_failed, set_aside_at, unseen_by`,
      `${shared}, ${first}, '{}', ${first}, ${first}, ${ARCHIVED}, case when n <= 3 then 'running' else 'idle' end,
        case when n % 100 = 5 then 'refusal' else 'end_turn' end, now(), ${activeAt("n")}, n % 1000 = 7,
        case when n % 1000 = 9 then now() end, case when n % 1000 = 11 or n = 1 then array['${userId}'::uuid] else '{}' end`,
    ],
    session_resources: [
      "id, session_id, type, mount_path, memory_store_id, memory_access",
      `${UUID}, ${UUID}, 'memory_store', '/m', case when n <= 3 then '${uuidOfRow(2)}'::uuid else ${first} end, 'read_only'`,
    ],
    port_previews: [
      "id, session_id, label, port, created_by, expires_at",
      `${UUID}, ${first}, 'l' || n, 80, '{}', now() + interval '1 day'`,
    ],
    confirmation_rules: ["id, session_id, tool_name, created_by", `${UUID}, ${first}, 'Bash' || n, '{}'`],
    events: ["session_id, seq, id, type, body", `${first}, n, ${UUID}, 'user.message', '{}'`],
    files: [
      `${SHARED}, filename, mime_type, size_bytes, sha256, status, scope_session_id`,
      `${shared}, 'f', 'text/plain', 1, 'x', 'ready', ${first}`,
    ],
    vaults: [`${SHARED}, display_name, archived_at`, `${shared}, 'v', ${ARCHIVED}`],
    vault_credentials: [
      "id, vault_id, type, target, secret, archived_at",
      `${UUID}, ${first}, 'static_bearer', 't' || n, case when n <= ${CURRENT} then 'x'::bytea end, ${ARCHIVED}`,
    ],
    connections: [
      `${OWNED}, display_name, url, auth, secret`,
      `${owned}, 'c', 'https://github.com', '{}', 'x'::bytea`,
    ],
    deployments: [
      `${SHARED}, name, agent_id, environment_id, initial_events, resources, vault_ids, environment_variables, metadata, archived_at`,
      `${shared}, 'd', ${first}, ${first}, '[]', '[]', '{}', '{}', '{}', ${ARCHIVED}`,
    ],
    deployment_runs: [
      "id, deployment_id, organization_id, owner_id, agent_id, trigger_type, error_type, scheduled_at",
      `${UUID}, ${first}, '${organizationId}', '${userId}', ${first}, case when n % 100 = 5 then 'manual' else 'schedule' end,
        case when n % 100 in (5, 7) then 'missed' end, timestamptz '2026-01-01Z' + n * interval '1 minute'`,
    ],
    deployment_triggers: [
      "id, deployment_id, type, secret, filter, allowed_users, max_runs_per_hour",
      `${UUID}, ${first}, 'signed', 'x'::bytea, '{}', '{}', 60`,
    ],
    trigger_deliveries: [
      "id, trigger_id, delivery_id, event, status",
      `${UUID}, ${first}, 'd' || n, 'event', case when n % 1000 = 5 then 'failed' else 'ignored' end`,
    ],
    memory_stores: [`${SHARED}, name, archived_at`, `${shared}, 'm', ${ARCHIVED}`],
    memories: [
      "id, memory_store_id, version_id, path, content, content_sha256, size_bytes",
      `${UUID}, ${first}, ${UUID}, '/m/' || n, '', '', 0`,
    ],
    memory_versions: [
      "id, memory_store_id, memory_id, operation, created_by, session_id",
      `${UUID}, ${first}, ${first}, 'modified', '{}', ${first}`,
    ],
    skills: [`${SHARED}, name, last_version, archived_at`, `${shared}, 's' || n, 1, ${ARCHIVED}`],
    skill_versions: [
      "id, skill_id, version, description, sha256, size_bytes, files",
      `${UUID}, ${first}, n, '', 'x', 1, '[]'`,
    ],
    forward_registrations: ["user_id, type, resource_id, id", `'${userId}', 'environment', ${UUID}, ${UUID}`],
    // Last, since whatever happens later would be told to all of them.
    webhooks: [
      `${OWNED}, format, enabled_events, url`,
      `${UUID}, '${organizationId}', case when n = 1 then 'organization' else 'user' end,
        case when n = 1 then '${organizationId}'::uuid else '${userId}' end, 'standard', '{session.deleted}', 'https://hook.example'`,
    ],
    webhook_deliveries: [
      "id, webhook_id, event_id, event_type, object_id, status, due_at",
      `${UUID}, ${first}, ${UUID}, case when n % 1000 = 5 then 'vault.deleted' else 'vault.created' end, ${UUID},
        case when n % 1000 = 7 then 'failed' else 'delivered' end, null`,
    ],
  };
  for (const [table, [columns, values]] of Object.entries(tables)) {
    await db.query({ text: `alter table ${table} set (autovacuum_enabled = off)` });
    await db.query({
      text: `insert into ${table} (${columns}) select ${values} from generate_series(1, ${ROWS}) as n`,
    });
    if (table === "agents") await insertAgentVersions(db);
    if (table === "skill_versions") await insertSkillVersions(db);
  }
}

/** Gives each skill except the first a version. */
async function insertSkillVersions(db: Queryable): Promise<void> {
  await db.query({
    text: `insert into skill_versions (id, skill_id, version, description, sha256, size_bytes, files)
      select gen_random_uuid(), id, 1, '', 'x', 1, '[]' from skills where id <> '${FIRST_ROW}'`,
  });
}

/** Gives each agent its version, and the first agent as many as the lists have rows. */
async function insertAgentVersions(db: Queryable): Promise<void> {
  const definition = JSON.stringify({
    name: "a",
    description: null,
    model: { id: "m" },
    tools: [],
    skills: [],
  });
  await db.query({ text: "alter table agent_versions set (autovacuum_enabled = off)" });
  await db.query({
    text: `insert into agent_versions (agent_id, version, definition, created_at)
      select ${UUID}, 1, '${definition}'::json, now() from generate_series(1, ${ROWS}) as n
      union all select '${FIRST_ROW}', n, '${definition}'::json, to_timestamp((1500000000000 + n) / 1000.0) from generate_series(2, ${ROWS}) as n`,
  });
}
