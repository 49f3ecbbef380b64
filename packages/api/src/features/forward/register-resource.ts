import { type forwardRoutes, type Input, newUuid, parseId, type ResponseOf } from "@berth/contract";
import { checkAccess, type Principal, requireFound } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { Created } from "../../request/response-body.ts";
import { storeRegistration } from "./forward-store.ts";
import { findResources } from "./forward-types.ts";

type Register = typeof forwardRoutes.register;

/**
 * Registers an existing resource for the caller. Registering it again changes nothing.
 *
 * @throws errors.notFound, errors.notYours
 */
export async function registerResource(
  db: DatabaseAccess,
  principal: Principal,
  { type, resource }: Input<Register>["body"],
): Promise<ResponseOf<Register> | Created<ResponseOf<Register>>> {
  const id = parseId(type, resource.id);
  const [row] = id === null ? [] : await findResources[type](db.read, [id]);
  const found = requireFound(type, resource.id, row, "resource.id");
  await checkAccess(db.read, principal, type, resource.id, { ...found.owner, id: found.id });
  const registration = { id: newUuid(), resource_id: found.id };
  const body = { id: resource.id, type };
  const isFirst = await storeRegistration(db.write, principal.id, type, registration);
  return isFirst ? new Created(body) : body;
}
