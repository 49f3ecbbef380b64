import { type Environment, uuidMillisecond } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { ProviderHosts } from "../egress/egress-policy.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { SessionRepository } from "../inputs/session-repository.ts";
import { repositoryTargets } from "./repository-targets.ts";

/** A variable of a session's commands that holds a placeholder, and the hosts to which its secret goes. */
export interface PlaceholderVariable {
  name: string;
  hosts: string[];
}

/** What a session has outside of its sandbox: the variables of its vaults, archived ones as well, and where repositories' secrets are. */
export interface KeptOutside {
  mode: Environment["credentials"];
  /** The first of one name is the session's. */
  vaults: readonly (PlaceholderVariable & { id: string; archivedAt: Date | null })[];
}

export async function readKeptOutside(db: Queryable, sessionId: string): Promise<KeptOutside> {
  type Row = {
    mode: KeptOutside["mode"];
    id: string | null;
    name: string;
    hosts: string[];
    archivedAt: Date;
  };
  const { rows } = await db.query<Row>({
    name: "kept_outside",
    text: `
      select environments.credentials as mode, vault_credentials.id, target as name, allowed_hosts as hosts,
        vault_credentials.archived_at as "archivedAt"
      from sessions join environments on environments.id = sessions.environment_id
      left join vault_credentials on vault_id = any(vault_ids) and type = 'environment_variable'
      where sessions.id = $1
      order by array_position(vault_ids, vault_id), vault_credentials.id`,
    values: [sessionId],
  });
  const vaults = rows.flatMap(({ id, mode: _, ...row }) => (id === null ? [] : [{ id, ...row }]));
  return { mode: rows[0]?.mode ?? "inject", vaults };
}

/**
 * The variables that hold placeholders, as they were when the model was first asked: one that came or was archived later changes
 * nothing. By name.
 */
export function placeholderVariables(
  { mode, vaults }: KeptOutside,
  parts: {
    repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
    providers: readonly ProviderHosts[];
  },
  resources: readonly RunResource[],
  firstRequestAt: number | null,
): PlaceholderVariable[] {
  const found = new Map<string, PlaceholderVariable>();
  // What is asked is the names: what stands for a secret here is which resource has it.
  const repositories = resources
    .filter(isRepository)
    .map((one) => ({ ...one, secret: one.secret === null ? null : one.id }));
  const variables = parts.repositoryVariables(repositories);
  for (const [name, value] of Object.entries(variables)) {
    const repository = repositories.find(({ secret }) => secret === value);
    if (mode !== "proxy" || repository === undefined) continue;
    const targets = repositoryTargets(repository, parts.providers);
    found.set(name, { name, hosts: [...new Set(targets.map(({ host }) => host))] });
  }
  for (const { id, name, hosts, archivedAt } of vaults) {
    const first = firstRequestAt ?? Number.POSITIVE_INFINITY;
    const wasThere = uuidMillisecond(id) <= first && !(archivedAt !== null && archivedAt.getTime() <= first);
    if (wasThere && !Object.hasOwn(variables, name) && !found.has(name)) found.set(name, { name, hosts });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
