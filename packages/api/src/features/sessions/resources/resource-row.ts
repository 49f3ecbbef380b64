import { type Checkout, formatId, type SessionResource, uuidTimestamp } from "@berth/contract";

/** A resource without its secret, which only the code that mounts it reads. */
export interface ResourceRow {
  id: string;
  type: SessionResource["type"];
  url: string | null;
  /** User name of a `git_repository`; null for other types. */
  username: string | null;
  checkout: Checkout | null;
  environment_from: "devcontainer" | null;
  connection_id: string | null;
  repository_access: "read_write" | "read_only" | null;
  file_id: string | null;
  memory_store_id: string | null;
  memory_access: "read_write" | "read_only" | null;
  memory_instructions: string | null;
  memory_name: string | null;
  memory_description: string | null;
  mount_path: string;
  /** A Date, or its text when the row was read as JSON. */
  updated_at: Date | string;
  /** Reason why the last clone of a repository failed; null when it succeeded or will be retried. */
  failure: string | null;
  failed_at: Date | string | null;
}

/** A row to store. Each type fills in its own columns; the others are null. */
export interface NewResource extends Pick<ResourceRow, "id" | "type" | "mount_path"> {
  url?: string;
  username?: string | null;
  checkout?: Checkout | null;
  environment_from?: ResourceRow["environment_from"];
  /** Sealed envelope; see `SecretBox`. */
  secret?: Buffer | null;
  /** Uuid. */
  connection_id?: string | null;
  repository_access?: ResourceRow["repository_access"];
  /** Uuid. */
  file_id?: string;
  memory_store_id?: string;
  memory_access?: ResourceRow["memory_access"];
  memory_instructions?: string | null;
  memory_name?: string;
  memory_description?: string | null;
}

type RepositoryResource = Extract<SessionResource, { url: string }>;

export function toRepositoryResource(row: ResourceRow): RepositoryResource {
  const resource = toSessionResource(row);
  if ("url" in resource) return resource;
  throw new Error("A repository changed its type.");
}

export function toSessionResource(row: ResourceRow): SessionResource {
  const common = {
    mount_path: row.mount_path,
    created_at: uuidTimestamp(row.id),
    updated_at: new Date(row.updated_at).toISOString(),
  };
  const id = formatId("session_resource", row.id);
  const url = row.url ?? "";
  switch (row.type) {
    case "file":
      return { id, type: row.type, file_id: formatId("file", row.file_id ?? ""), ...common };
    case "memory_store":
      return {
        id,
        type: row.type,
        memory_store_id: formatId("memory_store", row.memory_store_id ?? ""),
        name: row.memory_name ?? "",
        description: row.memory_description,
        access: row.memory_access ?? "read_write",
        instructions: row.memory_instructions,
        ...common,
      };
    case "hosted_repository":
      return { id, type: row.type, url, ...common, ...repositoryFields(row) };
    case "git_repository":
      return {
        ...{ id, type: row.type, url, username: row.username, ...common },
        ...repositoryFields(row),
      };
  }
}

type RepositoryFields = Pick<
  RepositoryResource,
  "checkout" | "connection_id" | "access" | "environment" | "error"
>;

function repositoryFields(row: ResourceRow): RepositoryFields {
  const { checkout, environment_from: from, connection_id: connection, repository_access: access } = row;
  const connected = {
    connection_id: connection === null ? null : formatId("connection", connection),
    access: connection === null ? null : access,
  };
  return { checkout, ...connected, environment: from === null ? null : { from }, error: errorOf(row) };
}

function errorOf({ failure, failed_at }: ResourceRow): RepositoryResource["error"] {
  if (failure === null || failed_at === null) return null;
  return { message: failure, failed_at: new Date(failed_at).toISOString() };
}
