import type { Queryable } from "@berth/store/db";
import { deleteExpiredOidcRequests } from "./oidc/oidc-request-store.ts";
import { deleteExpiredLinks } from "./sign-in/link-store.ts";
import { deleteOldSignIns } from "./sign-in/sign-in-store.ts";

/** Deletes expired links and requests to the identity provider, and sign-ins that expired a week ago. */
export async function sweepSignIns(db: Queryable): Promise<void> {
  await deleteExpiredLinks(db);
  await deleteExpiredOidcRequests(db);
  await deleteOldSignIns(db);
}
