import { userInfo } from "node:os";
import type { Subject } from "@berth/api/administration";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess, type Queryable } from "@berth/store/db";
import type { Config } from "../config/config.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";

/**
 * Like `asOperator`, for a command that changes something: `work` runs in one transaction with its entry in
 * the audit log.
 * @param operation Name of the command as it is typed.
 * @param about Returns the objects that were changed; called after `work`.
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

/** Appends an entry about a command of this machine's user to the audit log. */
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

/** Returns the name of the user who runs the command. A user without an account entry has only a number. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
