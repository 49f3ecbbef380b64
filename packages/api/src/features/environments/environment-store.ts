import { type Environment, formatId, uuidTimestamp } from "@berth/contract";
import {
  type OwnedRow,
  ownedFields,
  ownedList,
  requireAccess,
  requireAccessForUpdate,
  SHARED_COLUMNS,
} from "@berth/store/access";
import { isUniqueViolation, type Queryable } from "@berth/store/db";

export interface EnvironmentRow extends OwnedRow {
  name: string;
  description: string | null;
  config: Environment["config"];
  environment_variables: Record<string, string>;
  credentials: Environment["credentials"];
  git_identity: Environment["git_identity"];
  image: string | null;
  runtime_class: string | null;
  workspace: Environment["workspace"];
  keep_alive_seconds: number;
  resources: Environment["resources"];
  metadata: Record<string, string>;
}

export type NewEnvironment = Omit<EnvironmentRow, "archived_at" | "updated_at">;

/** SQL expression for the configuration. Rows of releases before runtimes lack their fields. */
const CONFIG = `'{"runtimes": {}, "resolved_runtimes": []}'::jsonb || config::jsonb as config`;

const COLUMNS = `id, ${SHARED_COLUMNS}, name, description, ${CONFIG}, environment_variables,
  credentials, git_identity, image, runtime_class, workspace, keep_alive_seconds, resources, metadata, archived_at, updated_at`;

/** Stores an environment. Returns false when the owner has one of this name. */
export async function insertEnvironment(db: Queryable, environment: NewEnvironment): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "insert_environment",
    text: `
      insert into environments (id, organization_id, owner_type, owner_id, name, description, config,
        environment_variables, credentials, image, resources, metadata, updated_at, git_identity, runtime_class, workspace,
        keep_alive_seconds, organization_access)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
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
      environment.git_identity,
      environment.runtime_class,
      environment.workspace,
      environment.keep_alive_seconds,
      environment.organization_access,
    ],
  });
  return rowCount === 1;
}

export async function getEnvironment(db: Queryable, id: string): Promise<EnvironmentRow | null> {
  const text = `select ${COLUMNS} from environments where id = $1 and deleted_at is null`;
  return (await db.query<EnvironmentRow>({ name: "get_environment", text, values: [id] })).rows[0] ?? null;
}

/**
 * Returns the same as `getEnvironment`, and locks the environment until the transaction ends. Sessions that
 * are being created with the environment and this lock wait for each other.
 */
async function lockEnvironment(tx: Queryable, id: string): Promise<EnvironmentRow | null> {
  const text = `select ${COLUMNS} from environments where id = $1 and deleted_at is null for update`;
  return (await tx.query<EnvironmentRow>({ name: "lock_environment", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireEnvironment = requireAccess("environment", getEnvironment);

/** Returns the same as `requireEnvironment`, and locks the environment until the transaction ends. */
export const requireEnvironmentForUpdate = requireAccessForUpdate(
  "environment",
  getEnvironment,
  lockEnvironment,
);

/** Returns the environments that exist, in no particular order. */
export async function getEnvironments(db: Queryable, ids: readonly string[]): Promise<EnvironmentRow[]> {
  // With the condition "not deleted" in SQL, PostgreSQL without statistics would read the whole index of
  // undeleted rows.
  const text = `select ${COLUMNS}, deleted_at from environments where id = any($1::uuid[])`;
  type Row = EnvironmentRow & { deleted_at: Date | null };
  const { rows } = await db.query<Row>({ name: "get_environments", text, values: [ids] });
  return rows.filter((row) => row.deleted_at === null);
}

/** Stores the mutable fields of a locked environment. Returns false when another has the name. */
export async function updateEnvironmentRow(tx: Queryable, environment: NewEnvironment): Promise<boolean> {
  try {
    await tx.query({
      name: "store_environment",
      text: `update environments set name = $2, description = $3, config = $4, environment_variables = $5,
        credentials = $6, image = $7, resources = $8, metadata = $9, git_identity = $10, runtime_class = $11, workspace = $12,
        keep_alive_seconds = $13,
        updated_at = now() where id = $1`,
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
        environment.git_identity,
        environment.runtime_class,
        environment.workspace,
        environment.keep_alive_seconds,
      ],
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error, "environments_by_name")) return false;
    throw error;
  }
}

/** Archives an environment. Does nothing if it is archived already. */
export async function archiveEnvironment(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_environment",
    text: "update environments set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

/**
 * Deletes a locked environment: clears its contents and frees its name. The row stays for the terminated
 * sessions that refer to it. Returns false, and deletes nothing, while a session that is not terminated uses
 * it.
 */
export async function deleteUnusedEnvironment(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "delete_environment",
    text: `
      update environments set deleted_at = now(), name = '', description = null, metadata = '{}',
        environment_variables = '{}', git_identity = null, image = null, runtime_class = null, updated_at = now()
      where id = $1
        and not exists (select from sessions where environment_id = $1 and terminated_at is null)`,
    values: [id],
  });
  return rowCount === 1;
}

/** SQL expression for an environment's bytes, without the few of its description and metadata. */
const BYTES = "octet_length(config::text) + octet_length(environment_variables::text)";

export const listEnvironments = ownedList<EnvironmentRow>("environment", "environments", COLUMNS, {
  conditions: [{ text: "deleted_at is null", values: [] }],
  bytes: BYTES,
});

export function toEnvironment(row: EnvironmentRow): Environment {
  return {
    id: formatId("environment", row.id),
    type: "environment",
    name: row.name,
    description: row.description,
    config: row.config,
    environment_variables: row.environment_variables,
    credentials: row.credentials,
    git_identity: row.git_identity,
    image: row.image,
    runtime_class: row.runtime_class,
    workspace: row.workspace,
    keep_alive_seconds: row.keep_alive_seconds,
    resources: row.resources,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
