import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { type AgentRow, getAgent, lockAgent } from "./agent-store.ts";

/** The newest version of an agent that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachAgent(db: Queryable, principal: Principal, agentId: string): Promise<AgentRow> {
  return await reached(principal, "agent", agentId, (id) => getAgent(db, id));
}

/** As `reachAgent`, and the agent stays as it is until the transaction ends. @throws errors.locked for an archived one */
export async function reachToChange(tx: Queryable, principal: Principal, agentId: string): Promise<AgentRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachAgent(tx, principal, agentId);
  const agent = await reached(principal, "agent", agentId, () => lockAgent(tx, id));
  if (agent.archived_at !== null) throw errors.locked("agent", agentId);
  return agent;
}
