import { type AuditEntry, type adminRoutes, type Input, type Page, parseId } from "@berth/contract";
import { listAuditEntries } from "@berth/store/audit";
import { createdBounds, onwardPage, openCursor } from "../request/page.ts";
import type { OperatorRequest } from "./admin-mount.ts";

/** Returns a page of the audit log, newest first. A cursor holds the last entry of the previous page. */
export async function pageOfAuditEntries(
  request: OperatorRequest,
  input: Input<typeof adminRoutes.adminAuditEntries.list>,
): Promise<Page<AuditEntry>> {
  const { limit, organization_id: organization, user_id: user, operation, resource } = input.query;
  const { from, until } = createdBounds(input.query);
  const filter = {
    organizationId:
      organization === undefined ? undefined : (parseId("organization", organization) ?? undefined),
    userId: user === undefined ? undefined : (parseId("user", user) ?? undefined),
    operation,
    resource,
    since: from === null ? undefined : new Date(from),
    until: until === null ? undefined : new Date(until),
  };
  const before = openCursor(request, input)?.position;
  return onwardPage(request, input, await listAuditEntries(request.db.read, filter, limit + 1, before));
}
