import { type Checkout, formatId, type SessionResource, uuidTimestamp } from "@berth/contract";

/** What a resource shows of itself. Its secret is in none of these, and is read by those alone who mount it. */
export interface ResourceRow {
  id: string;
  type: SessionResource["type"];
  url: string | null;
  /** Of a `git_repository` alone. */
  username: string | null;
  checkout: Checkout | null;
  file_id: string | null;
  memory_store_id: string | null;
  memory_access: "read_write" | "read_only" | null;
  memory_instructions: string | null;
  memory_name: string | null;
  memory_description: string | null;
  mount_path: string;
  /** A Date, or the text that JSON has for one. */
  updated_at: Date | string;
}

/** The columns of `ResourceRow`. */
export const resourceColumns = `id, type, url, username, checkout, file_id, memory_store_id, memory_access,
  memory_instructions, memory_name, memory_description, mount_path, updated_at`;

/** A resource as the API answers it. */
export function resourceAnswer(row: ResourceRow): SessionResource {
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
      return { id, type: row.type, url, ...common, checkout: row.checkout };
    case "git_repository":
      return { id, type: row.type, url, username: row.username, ...common, checkout: row.checkout };
  }
}
