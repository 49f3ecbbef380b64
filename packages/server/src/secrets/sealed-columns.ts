/** A column of envelopes, and how its rows are named in their places. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The columns of the primary key; their texts, with a blank between, are the `row` of a secret's place. */
  key: readonly string[];
}

/** Every column that a secret is sealed in. A test compares it with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "session_resources", column: "secret", key: ["id"] },
  { table: "vault_credentials", column: "secret", key: ["id"] },
  { table: "idempotency_keys", column: "answer", key: ["principal_id", "key"] },
];
