import { type Berth, ConflictError } from "@berth/sdk";
import { UsageError } from "../../shared/failure.ts";

/** Metadata of agents that this command created, so that it reuses only those. */
const MARK = { created_by: "berth run" };

/**
 * Returns the id of the agent for a model, with every tool; creates it if missing. Without a model, returns
 * the newest such agent, else creates one for the installation's default model.
 */
export async function ensureAgent(client: Berth, model: string | undefined): Promise<string> {
  for await (const agent of client.agents.list({ limit: 100 })) {
    const own = agent.metadata.created_by === MARK.created_by;
    if (own && (model === undefined || agent.model.id === model)) return agent.id;
  }
  const chosen = model ?? (await defaultModel(client));
  const tools = [{ type: "agent_toolset_20260401" as const }];
  const made = await client.agents.create({
    name: `berth run (${chosen})`,
    model: chosen,
    tools,
    metadata: MARK,
  });
  return made.id;
}

async function defaultModel(client: Berth): Promise<string> {
  for await (const model of client.models.list()) if (model.default) return model.id;
  throw new UsageError(
    "No model is set, and the installation has no default. Set one with --model or BERTH_MODEL: `berth models list` shows them.",
  );
}

const ENVIRONMENT_NAME = "berth-run";

/**
 * Returns the id of the default environment, which allows only the session's repository hosts; creates it if
 * missing.
 */
export async function ensureEnvironment(client: Berth): Promise<string> {
  const known = await find(client);
  if (known !== null) return known;
  try {
    const { id } = await client.environments.create({
      name: ENVIRONMENT_NAME,
      description: "Created by berth run.",
    });
    return id;
  } catch (error) {
    const other = error instanceof ConflictError ? await find(client) : null;
    if (other === null) throw error;
    return other;
  }
}

async function find(client: Berth): Promise<string | null> {
  for await (const environment of client.environments.list({ limit: 100 })) {
    if (environment.name === ENVIRONMENT_NAME) return environment.id;
  }
  return null;
}
