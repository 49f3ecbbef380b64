import { setTimeout as pause } from "node:timers/promises";
import type { AuditEntry, Berth } from "@berth/sdk";
import type { Administration } from "@berth/server";
import { allOf } from "./all-of.ts";
import type { NamedObjects } from "./named-objects.ts";

type Admin = Berth["admin"];

const LOOK_MS = 500;
const PAGE = 100;

/** Returns the commands about erasures, carried out by the API. */
export function erasuresByUrl(admin: Admin, named: NamedObjects): Administration["erasures"] {
  return {
    list: () => allOf(admin.erasures.list({ limit: PAGE })),
    get: (id) => admin.erasures.get(id),
    begin: async ({ user, organization }) =>
      await admin.erasures.create(
        user === undefined
          ? { organization_id: await named.organization(organization ?? "") }
          : { user_id: await named.user(user) },
      ),
    async wait(id, waitMs) {
      const end = performance.now() + waitMs;
      for (;;) {
        const receipt = await admin.erasures.get(id);
        if (receipt.completed_at !== null || performance.now() > end) return receipt;
        await pause(LOOK_MS);
      }
    },
  };
}

/** Returns the commands about the audit log, carried out by the API. */
export function auditByUrl(admin: Admin, named: NamedObjects): Administration["audit"] {
  return {
    async read({ organization, user, operation, resource, since, until }, limit, onPage) {
      const filter = {
        ...(organization !== undefined && { organization_id: await named.organization(organization) }),
        ...(user !== undefined && { user_id: await named.user(user) }),
        ...(operation !== undefined && { operation }),
        ...(resource !== undefined && { resource }),
        created_at: { gte: since, lt: until },
      };
      let page: AuditEntry[] = [];
      let left = limit ?? Number.POSITIVE_INFINITY;
      for await (const entry of admin.auditEntries.list({ ...filter, limit: Math.min(left, PAGE) })) {
        page.push(entry);
        left -= 1;
        if (page.length === PAGE || left === 0) {
          await onPage(page);
          page = [];
        }
        if (left === 0) return;
      }
      if (page.length > 0) await onPage(page);
    },
  };
}
