import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { type EnvironmentRow, getEnvironment, lockEnvironment } from "./environment-store.ts";

/** An environment that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachEnvironment(
  db: Queryable,
  principal: Principal,
  environmentId: string,
): Promise<EnvironmentRow> {
  return await reached(principal, environmentId, (id) => getEnvironment(db, id));
}

/** As `reachEnvironment`, and the environment stays as it is until the transaction ends. */
export async function reachAndLockEnvironment(
  tx: Queryable,
  principal: Principal,
  environmentId: string,
): Promise<EnvironmentRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachEnvironment(tx, principal, environmentId);
  return await reached(principal, environmentId, () => lockEnvironment(tx, id));
}

async function reached(
  principal: Principal,
  environmentId: string,
  read: (id: string) => Promise<EnvironmentRow | null>,
): Promise<EnvironmentRow> {
  const id = parseId("environment", environmentId);
  const row = id === null ? null : await read(id);
  if (row === null) throw errors.notFound("environment", environmentId);
  if (!reaches(principal, row)) throw errors.notYours("environment", environmentId);
  return row;
}
