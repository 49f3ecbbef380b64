import { LeaseLost } from "@berth/agent";
import type { Environment, SessionAgent } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";

/** What a run needs to know of its session, as it is when the run begins. The agent never changes; the environment may. */
export interface RunSession {
  id: string;
  agent: SessionAgent;
  networking: Environment["config"]["networking"];
  limits: Environment["resources"];
  /** Null: the engine's default. */
  image: string | null;
}

/** What the session's environment lets it reach now. */
export async function readNetworking(db: Queryable, sessionId: string): Promise<RunSession["networking"]> {
  return (await readRunSession(db, sessionId)).networking;
}

export async function readRunSession(db: Queryable, sessionId: string): Promise<RunSession> {
  const { rows } = await db.query<{
    agent: SessionAgent;
    config: Environment["config"];
    limits: Environment["resources"];
    image: string | null;
  }>({
    name: "run_session",
    text: `
      select sessions.agent, environments.config, environments.resources as limits, environments.image
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  const row = rows[0];
  if (row === undefined) throw new LeaseLost();
  const { agent, config, limits, image } = row;
  return { id: sessionId, agent, networking: config.networking, limits, image };
}
