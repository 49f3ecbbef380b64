export type { Capability } from "@berth/sandbox";
export { DatabaseUnavailableError } from "@berth/store/db";
export { InputError, OperatorError } from "@berth/store/errors";
export { type Backup, backup } from "./backup/backup.ts";
export { checkBackup, type RestoredBackup, restore } from "./backup/restore.ts";
export { type BootstrapTerms, bootstrapToken } from "./local/bootstrap-token.ts";
export { migrateDatabase, type SchemaReport } from "./local/migrate-database.ts";
export { type MovedContents, moveContents } from "./local/move-contents.ts";
export { rewrapSecrets } from "./local/rewrap-secrets.ts";
