import { type Environment, formatId, uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, selectReached } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Owner, Principal } from "../../http/principal.ts";

export interface EnvironmentRow extends Owner {
  id: string;
  name: string;
  description: string | null;
  config: Environment["config"];
  environment_variables: Record<string, string>;
  resources: Environment["resources"];
  metadata: Record<string, string>;
  archived_at: Date | null;
  updated_at: Date;
}

export type NewEnvironment = Omit<EnvironmentRow, "archived_at" | "updated_at">;

const columns = `id, organization_id, owner_type, owner_id, name, description, config, environment_variables,
  resources, metadata, archived_at, updated_at`;

/** False when the owner has one of this name. */
export async function insertEnvironment(db: Queryable, environment: NewEnvironment): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "insert_environment",
    text: `
      insert into environments (id, organization_id, owner_type, owner_id, name, description, config,
        environment_variables, resources, metadata, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict (owner_id, name) do nothing`,
    values: [
      environment.id,
      environment.organization_id,
      environment.owner_type,
      environment.owner_id,
      environment.name,
      environment.description,
      environment.config,
      environment.environment_variables,
      environment.resources,
      environment.metadata,
      uuidTimestamp(environment.id),
    ],
  });
  return rowCount === 1;
}

export async function getEnvironment(db: Queryable, id: string): Promise<EnvironmentRow | null> {
  const text = `select ${columns} from environments where id = $1`;
  return (await db.query<EnvironmentRow>({ name: "get_environment", text, values: [id] })).rows[0] ?? null;
}

export async function listEnvironments(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: { archived: boolean },
): Promise<EnvironmentRow[]> {
  const conditions = filters.archived ? [] : [{ text: "archived_at is null", values: [] }];
  const listed = { table: "environments", columns, conditions };
  return await selectReached<EnvironmentRow>(db, principal, place, listed);
}

/** The environment as the API answers it. */
export function environmentAnswer(row: EnvironmentRow): Environment {
  return {
    id: formatId("environment", row.id),
    type: "environment",
    name: row.name,
    description: row.description,
    config: row.config,
    environment_variables: row.environment_variables,
    resources: row.resources,
    metadata: row.metadata,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
