import { type Input, type sessionRoutes, uuidOrNil } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import { type AgentRow, getAgent } from "../agents/agent-store.ts";
import { getVersion } from "../agents/agent-version-store.ts";
import type { Prepared } from "../session-resources/prepared.ts";

type Reference = Input<typeof sessionRoutes.create>["body"]["agent"];

/** The agent of a new session, in the version that was asked for. */
export function prepareAgent(given: Reference): Prepared & { row(): AgentRow } {
  const id = typeof given === "string" ? given : given.id;
  const version = typeof given === "string" ? null : (given.version ?? null);
  let found: AgentRow | undefined;
  const row = () => {
    if (found === undefined) throw new Error("The agent was not looked for.");
    return found;
  };
  return {
    async find(db) {
      found = await findAgent(db, id, version);
    },
    reach(principal) {
      if (!reaches(principal, row())) throw errors.notYours("agent", id);
    },
    checkState() {
      if (row().archived_at !== null) throw errors.archived("agent", id);
    },
    row,
  };
}

async function findAgent(db: Queryable, id: string, version: number | null): Promise<AgentRow> {
  const newest = await getAgent(db, uuidOrNil("agent", id));
  if (newest === null) throw errors.notFound("agent", id);
  if (version === null || version === newest.version) return newest;
  const older = await getVersion(db, newest.id, version);
  if (older === null) throw errors.agentVersionNotFound(id, version, "agent.version");
  return older;
}
