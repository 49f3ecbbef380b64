import { userInfo } from "node:os";
import type { Subject } from "@berth/api/administration";
import { appendAuditEntry } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";

/**
 * Appends an entry about a command of this host's user to the audit log.
 * @param operation Name of the command as it is typed.
 */
export async function appendCommand(tx: Queryable, operation: string, subject: Subject): Promise<void> {
  await appendAuditEntry(tx, {
    ...subject,
    actor: { type: "operator", tokenId: null },
    operation,
    client: hostUser(),
    userAgent: null,
    requestId: null,
  });
}

/** Returns the name of the user who runs the command. A user without an account entry has only a number. */
function hostUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
