import { type Checkout, uuidTimestamp } from "@berth/contract";
import type { ResourceRow } from "./resource-row.ts";

/** A row to store. A kind fills in what it has; the rest is null. */
export interface NewResource extends Pick<ResourceRow, "id" | "type" | "mount_path"> {
  url?: string;
  username?: string | null;
  checkout?: Checkout | null;
  /** An envelope; see secrets. */
  secret?: Buffer | null;
  /** uuid. */
  file_id?: string;
  memory_store_id?: string;
  memory_access?: ResourceRow["memory_access"];
  memory_instructions?: string | null;
  memory_name?: string;
  memory_description?: string | null;
}

/** The columns that are written of a `NewResource`, with the types that the database reads them as. */
const columnTypes: Readonly<Record<keyof NewResource | "updated_at", string>> = {
  id: "uuid",
  type: "text",
  mount_path: "text",
  url: "text",
  username: "text",
  checkout: "json",
  secret: "bytea",
  file_id: "uuid",
  memory_store_id: "uuid",
  memory_access: "text",
  memory_instructions: "text",
  memory_name: "text",
  memory_description: "text",
  updated_at: "timestamptz",
};

export const newResourceColumns = Object.keys(columnTypes).join(", ");

/** For `json_to_recordset(…) as resource (…)`, which reads what `newResourcesJson` writes. */
export const newResourceTypes = Object.entries(columnTypes)
  .map(([column, type]) => `${column} ${type}`)
  .join(", ");

export function newResourcesJson(resources: readonly NewResource[]): string {
  return JSON.stringify(
    resources.map(({ secret, ...rest }) => ({
      ...rest,
      updated_at: uuidTimestamp(rest.id),
      secret: secret == null ? null : `\\x${secret.toString("hex")}`,
    })),
  );
}
