import { userInfo } from "node:os";
import type { Subject } from "@berth/api/administration";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess, type Queryable } from "@berth/store/db";
import type { Config } from "../config/config.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";

/**
 * As `asOperator`, for a command that changes something: `work` runs in one transaction with its entry in the audit log.
 *
 * @param operation as the command is written.
 * @param about what was changed, asked when it is.
 */
export async function auditedCommand<T>(
  flags: InstallationFlags,
  operation: string,
  work: (db: DatabaseAccess, config: Config) => Promise<T>,
  about: (tx: Queryable, result: T) => Promise<Subject> | Subject,
): Promise<T> {
  return await asOperator(flags, (db, config) =>
    db.transaction((tx) =>
      asDatabase(tx, async (whole) => {
        const result = await work(whole, config);
        await appendCommand(whole.write, operation, await about(whole.write, result));
        return result;
      }),
    ),
  );
}

export async function appendCommand(tx: Queryable, operation: string, subject: Subject): Promise<void> {
  await appendAuditEntry(tx, {
    ...subject,
    actor: { type: "operator", tokenId: null },
    operation,
    client: machineUser(),
    userAgent: null,
    requestId: null,
  });
}

/** A user without an entry in the machine's list has only a number. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
