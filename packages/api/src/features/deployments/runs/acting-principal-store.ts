import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

/** Returns the role of a user or service account; null if it is disabled, gone, or of another organization. */
export async function readRole(
  db: Queryable,
  { organizationId, kind, id }: Pick<Principal, "organizationId" | "kind" | "id">,
): Promise<Principal["role"] | null> {
  const { rows } = await db.query<{ role: Principal["role"] }>({
    name: `role_of_${kind}`,
    text:
      kind === "user"
        ? "select role from users where id = $1 and organization_id = $2 and disabled_at is null"
        : "select 'member' as role from service_accounts where id = $1 and organization_id = $2 and disabled_at is null",
    values: [id, organizationId],
  });
  return rows[0]?.role ?? null;
}
