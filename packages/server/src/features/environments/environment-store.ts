import { type Environment, formatId, uuidTimestamp } from "@berth/contract";
import { isUniqueViolation } from "../../db/database-error.ts";
import { type KeysetPlace, selectReached } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { type OwnedRow, ownedFields } from "../../http/owned-row.ts";
import type { Principal } from "../../http/principal.ts";

export interface EnvironmentRow extends OwnedRow {
  name: string;
  description: string | null;
  config: Environment["config"];
  environment_variables: Record<string, string>;
  credentials: Environment["credentials"];
  image: string | null;
  resources: Environment["resources"];
  metadata: Record<string, string>;
}

export type NewEnvironment = Omit<EnvironmentRow, "archived_at" | "updated_at">;

const columns = `id, organization_id, owner_type, owner_id, name, description, config, environment_variables,
  credentials, image, resources, metadata, archived_at, updated_at`;

/** False when the owner has one of this name. */
export async function insertEnvironment(db: Queryable, environment: NewEnvironment): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "insert_environment",
    text: `
      insert into environments (id, organization_id, owner_type, owner_id, name, description, config,
        environment_variables, credentials, image, resources, metadata, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      on conflict (owner_id, name) where deleted_at is null do nothing`,
    values: [
      environment.id,
      environment.organization_id,
      environment.owner_type,
      environment.owner_id,
      environment.name,
      environment.description,
      environment.config,
      environment.environment_variables,
      environment.credentials,
      environment.image,
      environment.resources,
      environment.metadata,
      uuidTimestamp(environment.id),
    ],
  });
  return rowCount === 1;
}

export async function getEnvironment(db: Queryable, id: string): Promise<EnvironmentRow | null> {
  const text = `select ${columns} from environments where id = $1 and deleted_at is null`;
  return (await db.query<EnvironmentRow>({ name: "get_environment", text, values: [id] })).rows[0] ?? null;
}

/**
 * The same, and the environment stays as it is until the transaction ends. Sessions that are being created with it are
 * waited for, and those to come wait.
 */
export async function lockEnvironment(tx: Queryable, id: string): Promise<EnvironmentRow | null> {
  const text = `select ${columns} from environments where id = $1 and deleted_at is null for update`;
  return (await tx.query<EnvironmentRow>({ name: "lock_environment", text, values: [id] })).rows[0] ?? null;
}

/** Those of the environments that exist, in no order. */
export async function getEnvironments(db: Queryable, ids: readonly string[]): Promise<EnvironmentRow[]> {
  const text = `select ${columns} from environments where id = any($1::uuid[]) and deleted_at is null`;
  return (await db.query<EnvironmentRow>({ name: "get_environments", text, values: [ids] })).rows;
}

/** Stores what a change may touch of an environment, which is locked. False when the owner has another of this name. */
export async function storeEnvironment(tx: Queryable, environment: NewEnvironment): Promise<boolean> {
  try {
    await tx.query({
      name: "store_environment",
      text: `update environments set name = $2, description = $3, config = $4, environment_variables = $5,
        credentials = $6, image = $7, resources = $8, metadata = $9, updated_at = now() where id = $1`,
      values: [
        environment.id,
        environment.name,
        environment.description,
        environment.config,
        environment.environment_variables,
        environment.credentials,
        environment.image,
        environment.resources,
        environment.metadata,
      ],
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error, "environments_by_name")) return false;
    throw error;
  }
}

/** Archiving again changes nothing. */
export async function archiveEnvironment(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_environment",
    text: "update environments set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

/**
 * Deletes an environment, which is locked: what it held is gone and its name is free, while the row stays for the
 * terminated sessions that name it. False, and nothing is deleted, while a session uses it that is not terminated.
 */
export async function deleteEnvironment(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "delete_environment",
    text: `
      update environments set deleted_at = now(), name = '', description = null, metadata = '{}',
        environment_variables = '{}', image = null, updated_at = now()
      where id = $1
        and not exists (select from sessions where environment_id = $1 and terminated_at is null)`,
    values: [id],
  });
  return rowCount === 1;
}

export async function listEnvironments(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: { archived: boolean },
): Promise<EnvironmentRow[]> {
  const text = filters.archived ? "deleted_at is null" : "deleted_at is null and archived_at is null";
  const conditions = [{ text, values: [] }];
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
    credentials: row.credentials,
    image: row.image,
    resources: row.resources,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
