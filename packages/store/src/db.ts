export { assembled, type Condition, condition, joined } from "./db/assembled-statement.ts";
export { type BatchStatement, storeOne } from "./db/batch.ts";
export { checkDurability } from "./db/check-durability.ts";
export { checkPooler } from "./db/check-pooler.ts";
export type { DatabaseAddress } from "./db/connection.ts";
export { addConnectionMetrics, type MeasuredConnections } from "./db/connection-metrics.ts";
export type { DatabaseAccess } from "./db/database-access.ts";
export { databaseNow } from "./db/database-clock.ts";
export {
  DatabaseUnavailableError,
  isForeignKeyViolation,
  isTimeout,
  isUniqueViolation,
} from "./db/database-error.ts";
export { readDatabaseId, recordBlobStore } from "./db/database-identity-store.ts";
export { jsonRecord } from "./db/json-record.ts";
export {
  type Branch,
  FIRST,
  isWithin,
  type KeysetRange,
  LAST,
  selectKeyset,
  selectSpan,
  WHOLE,
} from "./db/keyset.ts";
export { type Migrated, migrate, readSchema } from "./db/migrate.ts";
export { fitting, type MeasuredRow, measured } from "./db/page-bytes.ts";
export { type Database, openDatabase } from "./db/pool.ts";
export { readTogether } from "./db/read-together.ts";
export { runAlone } from "./db/run-alone.ts";
export { databaseBytes, ping, type Queryable } from "./db/statement.ts";
export { asDatabase, inSavepoint } from "./db/transaction.ts";
export { openWritePool } from "./db/write-pool.ts";
