import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteUnusedAgent, requireAgent } from "./agent-store.ts";

/** Deletes an agent with its versions. Returns its uuid. @throws errors.inUse if it has sessions. */
export async function deleteAgent(
  db: DatabaseAccess,
  principal: Principal,
  agentId: string,
): Promise<string> {
  const { id } = await requireAgent(db.read, principal, agentId);
  if (!(await deleteUnusedAgent(db.write, id))) {
    throw errors.inUse("agent", agentId, "sessions that were created with it");
  }
  return id;
}
