import type { Queryable } from "../../db/statement.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { type EnvironmentRow, getEnvironment, lockEnvironment } from "./environment-store.ts";

/** An environment that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachEnvironment(
  db: Queryable,
  principal: Principal,
  environmentId: string,
): Promise<EnvironmentRow> {
  return await reached(principal, "environment", environmentId, (id) => getEnvironment(db, id));
}

/** As `reachEnvironment`, and the environment stays as it is until the transaction ends. */
export async function reachAndLockEnvironment(
  tx: Queryable,
  principal: Principal,
  environmentId: string,
): Promise<EnvironmentRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachEnvironment(tx, principal, environmentId);
  return await reached(principal, "environment", environmentId, () => lockEnvironment(tx, id));
}
