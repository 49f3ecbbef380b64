import { type Berth, ConflictError } from "@berth/sdk";

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
