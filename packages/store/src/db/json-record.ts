/** The columns of a table that are written from JSON objects, with the types by which the database reads them. */
export interface JsonRecord {
  /** `id, type` */
  columns: string;
  /** `id uuid, type text`, as `json_to_record` takes it. */
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
