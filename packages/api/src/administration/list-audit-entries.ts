import { type AuditEntry, type adminRoutes, type Input, type Page, parseId } from "@berth/contract";
import { type AuditFilter, listAuditEntries } from "@berth/store/audit";
import { createdBounds, onwardPage, openCursor } from "../request/page.ts";
import type { AdminRequest } from "./admin-mount.ts";

type Routes = typeof adminRoutes.adminAuditEntries;

/** Returns a page of the audit log, newest first. A cursor holds the last entry of the previous page. */
export async function pageOfAuditEntries(
  request: AdminRequest,
  input: Input<Routes["list"]>,
): Promise<Page<AuditEntry>> {
  const before = openCursor(request, input)?.position;
  const entries = await listAuditEntries(
    request.db.read,
    filterOf(input.query),
    input.query.limit + 1,
    before,
  );
  return onwardPage(request, input, entries);
}

/** Returns the filter of a query that names entries. */
export function filterOf(query: Input<Routes["list" | "export"]>["query"]): AuditFilter {
  const { organization_id: organization, user_id: user, service_account_id: account } = query;
  const { operation, resource } = query;
  const { from, until } = createdBounds(query);
  const actor = user === undefined ? idIn("service_account", account) : idIn("user", user);
  return {
    organizationId: idIn("organization", organization),
    actorId: actor,
    operation,
    resource,
    since: from === null ? undefined : new Date(from),
    until: until === null ? undefined : new Date(until),
  };
}

function idIn(kind: "organization" | "user" | "service_account", id: string | undefined): string | undefined {
  return id === undefined ? undefined : (parseId(kind, id) ?? undefined);
}
