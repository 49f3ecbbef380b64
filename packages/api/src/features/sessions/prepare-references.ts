import { type Input, MAX_SESSION_VAULTS, type sessionRoutes } from "@berth/contract";
import { checkNotArchived, type Reference, References } from "@berth/store/access";
import { type Queryable, readTogether } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type AgentRow, getAgents } from "../agents/agent-store.ts";
import { requireAgentVersion } from "../agents/agent-version-store.ts";
import { type EnvironmentRow, getEnvironments } from "../environments/environment-store.ts";
import { getVaults, lockVaults, type VaultRow } from "../vaults/vault-store.ts";

type Body = Input<typeof sessionRoutes.create>["body"];

/** Readers that combine concurrent reads: many sessions are created at once from few agents. */
const readAgents = readTogether(getAgents);
const readEnvironments = readTogether(getEnvironments);

/** Prepares the agent of a new session, in the requested version. */
export function prepareAgent(given: Body["agent"]): References<Reference, AgentRow> {
  const id = typeof given === "string" ? given : given.id;
  const version = typeof given === "string" ? null : (given.version ?? null);
  return new References("agent", [{ id, param: typeof given === "string" ? "agent" : "agent.id" }], {
    read: (db, uuids) => readAgent(db, uuids[0] ?? "", version),
    checkState: (_, row) => checkNotArchived("agent", id, row),
  });
}

async function readAgent(db: Queryable, uuid: string, version: number | null): Promise<AgentRow[]> {
  const [newest] = await readAgents(db, [uuid]);
  if (newest === undefined) return [];
  if (version === null || version === newest.version) return [newest];
  return [await requireAgentVersion(db, newest.id, version, "agent.version")];
}

/** Prepares the environment of a new session. */
export function prepareEnvironment(id: string): References<Reference, EnvironmentRow> {
  return new References("environment", [{ id, param: "environment_id" }], {
    read: readEnvironments,
    checkState: (_, row) => checkNotArchived("environment", id, row),
  });
}

/**
 * Prepares the vaults of a new session: those of `vault_ids`, then those among its resources, in the order of
 * the request.
 *
 * @throws errors.invalid for the first resource that repeats a vault or exceeds the limit.
 */
export function prepareVaults({
  vault_ids,
  resources,
}: Pick<Body, "vault_ids" | "resources">): References<Reference, VaultRow> {
  const given = (vault_ids ?? []).map((id, index) => ({ id, param: `vault_ids[${index}]` }));
  for (const [index, resource] of (resources ?? []).entries()) {
    if (resource.type !== "vault") continue;
    const param = `resources[${index}].vault_id`;
    if (given.some(({ id }) => id === resource.vault_id)) {
      throw errors.invalid(`Vault '${resource.vault_id}' is given twice.`, param);
    }
    if (given.length >= MAX_SESSION_VAULTS)
      throw errors.invalid(`A session has at most ${MAX_SESSION_VAULTS} vaults.`, param);
    given.push({ id: resource.vault_id, param });
  }
  return new References("vault", given, {
    read: getVaults,
    lock: lockVaults,
    checkState: ({ id }, row) => checkNotArchived("vault", id, row),
  });
}
