import { LeaseLost } from "@berth/agent";
import type { Environment, Packages } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";

/** What a session's environment adds to the system of its sandbox. */
export interface EnvironmentContents {
  /** Who has its layers in common: packages that one tenant had installed never reach another. */
  organizationId: string;
  packages: Packages;
  setupScript: string | null;
  /** What the script may reach, and its variables. */
  networking: Environment["config"]["networking"];
  variables: Record<string, string>;
}

/** As it is now; a run may have begun before it was changed. @throws LeaseLost when the session is gone */
export async function readContents(db: Queryable, sessionId: string): Promise<EnvironmentContents> {
  const { rows } = await db.query<{
    organization_id: string;
    config: Environment["config"];
    environment_variables: Record<string, string>;
  }>({
    name: "environment_contents",
    text: `
      select sessions.organization_id, environments.config, environments.environment_variables
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  const row = rows[0];
  if (row === undefined) throw new LeaseLost();
  return {
    organizationId: row.organization_id,
    packages: row.config.packages,
    setupScript: row.config.setup_script,
    networking: row.config.networking,
    variables: row.environment_variables,
  };
}

export function isPlain({ packages, setupScript }: EnvironmentContents): boolean {
  return setupScript === null && Object.values(packages).every((names) => names.length === 0);
}
