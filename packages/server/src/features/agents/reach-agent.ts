import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { type AgentRow, getAgent, lockAgent } from "./agent-store.ts";

/** The newest version of an agent that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachAgent(db: Queryable, principal: Principal, agentId: string): Promise<AgentRow> {
  return await reached(principal, agentId, (id) => getAgent(db, id));
}

/** As `reachAgent`, and the agent stays as it is until the transaction ends. @throws errors.locked for an archived one */
export async function reachToChange(tx: Queryable, principal: Principal, agentId: string): Promise<AgentRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachAgent(tx, principal, agentId);
  const agent = await reached(principal, agentId, () => lockAgent(tx, id));
  if (agent.archived_at !== null) throw errors.locked("agent", agentId);
  return agent;
}

async function reached(
  principal: Principal,
  agentId: string,
  read: (id: string) => Promise<AgentRow | null>,
): Promise<AgentRow> {
  const id = parseId("agent", agentId);
  const row = id === null ? null : await read(id);
  if (row === null) throw errors.notFound("agent", agentId);
  if (!reaches(principal, row)) throw errors.notYours("agent", agentId);
  return row;
}
