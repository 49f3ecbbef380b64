import { type Berth, ConflictError } from "@berth/sdk";
import { UsageError } from "../../shared/failure.ts";

/** Agents that this command made carry this pair, so that it reuses its own and no other. */
const mark = { created_by: "berth run" };

/** The id of an agent with that model and every tool, made when missing; without a model, the newest one of them. */
export async function ensureAgent(client: Berth, model: string | undefined): Promise<string> {
  for await (const agent of client.agents.list({ limit: 100 })) {
    const own = agent.metadata.created_by === mark.created_by;
    if (own && (model === undefined || agent.model.id === model)) return agent.id;
  }
  if (model === undefined) {
    throw new UsageError("Name a model by --model or BERTH_MODEL, such as --model anthropic/claude-opus-5.");
  }
  const tools = [{ type: "agent_toolset_20260401" as const }];
  const made = await client.agents.create({ name: `berth run (${model})`, model, tools, metadata: mark });
  return made.id;
}

const name = "berth-run";

/** The id of the environment with the defaults: only the session's repository hosts can be reached. Made when missing. */
export async function ensureEnvironment(client: Berth): Promise<string> {
  const known = await find(client);
  if (known !== null) return known;
  try {
    const { id } = await client.environments.create({ name, description: "Made by berth run." });
    return id;
  } catch (error) {
    const other = error instanceof ConflictError ? await find(client) : null;
    if (other === null) throw error;
    return other;
  }
}

async function find(client: Berth): Promise<string | null> {
  for await (const environment of client.environments.list({ limit: 100 })) {
    if (environment.name === name) return environment.id;
  }
  return null;
}
