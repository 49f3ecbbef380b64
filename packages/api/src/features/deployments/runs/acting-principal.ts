import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import type { DeploymentRow } from "../store/deployment-store.ts";
import { readRole } from "./acting-principal-store.ts";

const NO_TOKEN = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the principal that a deployment acts as, with the role that it has now; null if it is disabled or gone. It
 * has no token, and all scopes: what it may do is what its owner may.
 */
export async function actingPrincipal(db: Queryable, deployment: DeploymentRow): Promise<Principal | null> {
  const { organization_id: organizationId, owner_type, owner_id, service_account_id } = deployment;
  const kind = owner_type === "user" ? "user" : "service_account";
  const id = kind === "user" ? owner_id : service_account_id;
  const role = id === null ? null : await readRole(db, { organizationId, kind, id });
  if (id === null || role === null) return null;
  return {
    ...{ tokenId: NO_TOKEN, organizationId, kind, id, role },
    ...{ scopes: new Set(["*"]), defaultVisibility: "private", needs: "own", signedInBy: null },
  };
}
