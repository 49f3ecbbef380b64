import { uuidTimestamp } from "@berth/contract";
import { jsonRecord } from "@berth/store/db";
import type { NewResource } from "./resource-row.ts";

/** Columns of `ResourceRow`. */
export const resourceColumns = `id, type, url, username, checkout, environment_from, connection_id, repository_access, file_id, memory_store_id, memory_access,
  memory_instructions, memory_name, memory_description, mount_path, updated_at,
  case when ready_at is null and failed_inputs is not null then failure end as failure, failed_at`;

/** Columns that are written, with the types as which the database reads them from JSON. */
const COLUMN_TYPES: Readonly<Record<keyof NewResource | "updated_at", string>> = {
  id: "uuid",
  type: "text",
  mount_path: "text",
  url: "text",
  username: "text",
  checkout: "json",
  environment_from: "text",
  secret: "bytea",
  connection_id: "uuid",
  repository_access: "text",
  file_id: "uuid",
  memory_store_id: "uuid",
  memory_access: "text",
  memory_instructions: "text",
  memory_name: "text",
  memory_description: "text",
  updated_at: "timestamptz",
};

const RECORD = jsonRecord(COLUMN_TYPES);

/**
 * Returns the SQL that inserts resources, as a part of a larger statement. It is the only one that does.
 *
 * @param json parameter, such as `$2`, with the text of `resourcesJson`.
 * @param session row source with the session's `id`.
 */
export function insertResources(json: string, session: string): string {
  return `insert into session_resources (${RECORD.columns}, session_id)
    select resource.*, ${session}.id from ${session}, json_to_recordset(${json}::json) as resource (${RECORD.definition})`;
}

export function resourcesJson(resources: readonly NewResource[]): string {
  return JSON.stringify(resources.map(resourceRecord));
}

/** Returns a resource as the database reads it from JSON. */
export function resourceRecord({ secret, ...rest }: NewResource): object {
  return {
    ...rest,
    updated_at: uuidTimestamp(rest.id),
    secret: secret == null ? null : `\\x${secret.toString("hex")}`,
  };
}
