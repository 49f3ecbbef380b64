import type { Queryable } from "../../db/statement.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { type Keeping, readVaultVariables } from "../credentials/credential-store.ts";
import { asInside } from "../credentials/repository-inside.ts";
import { openVaultVariable } from "../credentials/vault-variable.ts";
import { isRepository, type RunResource, readResources } from "../inputs/resource-store.ts";
import { openRepository, type SessionRepository } from "../inputs/session-repository.ts";

export interface EnvironmentParts {
  db: { read: Queryable };
  secrets: SecretBox;
  /** Variables by which git and the provider's CLI log in; see the sandbox's workspace. */
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
}

/**
 * The variables of a command that starts now: those of the environment, over them the session's own, over them those of its
 * vaults, over them those of its repositories. Read anew each time, so that a new secret is seen by the next command. What is
 * kept outside of the sandbox is a placeholder.
 *
 * @param known the session's resources; default: they are read.
 */
export async function readEnvironment(
  { db, secrets, repositoryVariables }: EnvironmentParts,
  sessionId: string,
  known?: readonly RunResource[],
): Promise<Record<string, string>> {
  const resourcesOf = async () => known ?? (await readResources(db.read, sessionId));
  const [{ own, shared, ...keeping }, resources, fromVaults] = await Promise.all([
    readVariables(db.read, sessionId),
    resourcesOf(),
    readVaultVariables(db.read, sessionId),
  ]);
  const vaults = fromVaults.map((row) => openVaultVariable(secrets, keeping.seed, row));
  const repositories = resources
    .filter(isRepository)
    .map((repository) => asInside(openRepository(secrets, repository), repository.id, keeping));
  return {
    ...shared,
    ...own,
    ...Object.fromEntries(vaults.map(({ name, inside }) => [name, inside])),
    ...repositoryVariables(repositories),
  };
}

interface Variables extends Keeping {
  own: Record<string, string>;
  shared: Record<string, string>;
}

async function readVariables(db: Queryable, sessionId: string): Promise<Variables> {
  const { rows } = await db.query<Variables>({
    name: "session_variables",
    text: `
      select sessions.environment_variables as own, environments.environment_variables as shared,
        environments.credentials as mode, sessions.placeholder_seed as seed
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  return rows[0] ?? { own: {}, shared: {}, mode: "proxy", seed: "" };
}
