/** Columns of a table that are written from JSON objects, with the types by which the database reads them. */
export interface JsonRecord {
  /** The names, as `id, type`. */
  columns: string;
  /** The columns with types for `json_to_record`, as `id uuid, type text`. */
  definition: string;
}

export function jsonRecord(types: Readonly<Record<string, string>>): JsonRecord {
  return {
    columns: Object.keys(types).join(", "),
    definition: Object.entries(types)
      .map(([column, type]) => `${column} ${type}`)
      .join(", "),
  };
}
