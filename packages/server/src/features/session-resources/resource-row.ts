import { type Checkout, formatId, type SessionResource, uuidTimestamp } from "@berth/contract";

/** What a resource shows of itself. Its secret is in none of these, and is read by those alone who mount it. */
export interface ResourceRow {
  id: string;
  type: "hosted_repository" | "file";
  url: string | null;
  checkout: Checkout | null;
  file_id: string | null;
  mount_path: string;
  /** A Date, or the text that JSON has for one. */
  updated_at: Date | string;
}

/** The columns of `ResourceRow`. */
export const resourceColumns = "id, type, url, checkout, file_id, mount_path, updated_at";

/** A resource as the API answers it. */
export function resourceAnswer(row: ResourceRow): SessionResource {
  const common = {
    mount_path: row.mount_path,
    created_at: uuidTimestamp(row.id),
    updated_at: new Date(row.updated_at).toISOString(),
  };
  const id = formatId("session_resource", row.id);
  return row.type === "file"
    ? { id, type: "file", file_id: formatId("file", row.file_id ?? ""), ...common }
    : { id, type: "hosted_repository", url: row.url ?? "", ...common, checkout: row.checkout };
}
