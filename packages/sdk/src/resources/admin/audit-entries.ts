import type { AuditEntry, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminAuditEntries;
const { adminAuditEntries } = operations;

export class AdminAuditEntries extends Resource {
  /** Lists who changed what, newest first. */
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<AuditEntry> {
    return this.pages({ operation: adminAuditEntries.list, query, ...options });
  }
}
