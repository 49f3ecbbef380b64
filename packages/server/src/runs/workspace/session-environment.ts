import type { Queryable } from "../../db/statement.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { isRepository, readResources } from "../resources/resource-store.ts";
import { openRepository, type SessionRepository } from "../resources/session-repository.ts";

export interface EnvironmentParts {
  db: { read: Queryable };
  secrets: SecretBox;
  /** Variables by which git and the provider's CLI log in; see the sandbox's workspace. */
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
}

/**
 * The variables of a command that starts now: those of the environment, over them the session's own, over them those of
 * its repositories. Read anew each time, so that a new secret is seen by the next command.
 */
export async function readEnvironment(
  parts: EnvironmentParts,
  sessionId: string,
): Promise<Record<string, string>> {
  const [variables, resources] = await Promise.all([
    readVariables(parts.db.read, sessionId),
    readResources(parts.db.read, sessionId),
  ]);
  const repositories = resources
    .filter(isRepository)
    .map((repository) => openRepository(parts.secrets, repository));
  return { ...variables, ...parts.repositoryVariables(repositories) };
}

async function readVariables(db: Queryable, sessionId: string): Promise<Record<string, string>> {
  const { rows } = await db.query<{ own: Record<string, string>; shared: Record<string, string> }>({
    name: "session_variables",
    text: `
      select sessions.environment_variables as own, environments.environment_variables as shared
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  return { ...rows[0]?.shared, ...rows[0]?.own };
}
