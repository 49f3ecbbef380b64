import { type AuditEntry, appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess, type Queryable } from "@berth/store/db";
import type { Caller, RequestScope } from "../request/request-scope.ts";
import { productOf } from "./headers.ts";
import type { IncomingRequest } from "./http-app.ts";

/** A response body, with the id of the object that it is about. */
export interface Changed {
  id?: string | undefined;
}

/**
 * Runs the handler of a request that changes something, and appends its audit entry, in one transaction.
 * Whenever a process dies, both are stored or neither. A request that is rejected or fails leaves no entry.
 *
 * @param work gets the transaction as its database.
 */
export async function audited<T extends Changed>(
  incoming: IncomingRequest<Caller>,
  db: DatabaseAccess,
  work: (db: DatabaseAccess) => Promise<T>,
): Promise<T> {
  return await db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      const changed = await work(whole);
      await appendEntry(incoming, whole.write, changed.id);
      return changed;
    }),
  );
}

/** Appends the audit entry where the handler opens the transaction. @param id of the created object. */
export async function appendEntry(
  { scope }: IncomingRequest<Caller>,
  tx: Queryable,
  id?: string,
): Promise<void> {
  await appendAuditEntry(tx, scope.auditEntry(id));
}

/** Returns the audit entry of a request. @param params of its path. @param id of the created object. */
export function auditEntryOf(
  scope: Omit<RequestScope<Caller>, "auditEntry">,
  params: unknown,
  id?: string,
): AuditEntry {
  const { principal } = scope;
  const { tokenId } = principal;
  return {
    ...(principal.kind === "operator"
      ? { organizationId: null, actor: { type: "operator", tokenId } }
      : {
          organizationId: principal.organizationId,
          actor: { type: principal.kind, id: principal.id, tokenId },
        }),
    operation: scope.operation.id,
    resources: resourcesOf(params, id),
    client: scope.client,
    userAgent: productOf(scope.header("user-agent")),
    requestId: scope.requestId,
  };
}

/** Returns the ids of the path, then that of the response, if it is not among them. */
function resourcesOf(params: unknown, id: string | undefined): string[] {
  const ids = Object.values((params ?? {}) as Record<string, string>);
  return id === undefined || ids.includes(id) ? ids : [...ids, id];
}
