export { SCOPES } from "@berth/contract";
export type { Capability } from "@berth/sandbox";
export { administration, createOperatorToken } from "./administration/administration.ts";
export { InputError, OperatorError } from "./administration/as-operator.ts";
export type { ErasureReceipt, ErasureSubject } from "./administration/erasures.ts";
export type { LimitEntry } from "./administration/limit-store.ts";
export { migrateDatabase, type SchemaReport } from "./administration/migrate-database.ts";
export { type MovedContents, moveContents } from "./administration/move-contents.ts";
export type { RetentionEntry } from "./administration/retention-store.ts";
export { rewrapSecrets } from "./administration/rewrap-secrets.ts";
export type { AuditLine } from "./audit/audit-list-store.ts";
export { type Backup, backup } from "./backup/backup.ts";
export { checkBackup, type Restored, restore } from "./backup/restore.ts";
export { DatabaseUnavailableError } from "./db/database-error.ts";
export { isLimitName, LIMIT_NAMES, type LimitName, limitValue } from "./limits/limit-names.ts";
export {
  isRetainedName,
  RETAINED_NAMES,
  type RetainedName,
  retentionDays,
} from "./retention/retention-names.ts";
export type { HostEntry } from "./start/list-hosts.ts";
