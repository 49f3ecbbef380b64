import { formatId, uuidTimestamp } from "@berth/contract";
import type { Owner } from "./principal.ts";

/** What the row of every noun has that belongs to somebody and can be archived. `id` is a uuid. */
export interface OwnedRow extends Owner {
  id: string;
  archived_at: Date | null;
  updated_at: Date;
}

/** What the answers of all these nouns end with. */
export function ownedFields(row: OwnedRow) {
  return {
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
