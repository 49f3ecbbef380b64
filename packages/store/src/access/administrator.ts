import { type IdKind, type Operation, parseId } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";
import { organizationOf } from "./administered-store.ts";
import type { Operator } from "./operator-store.ts";
import { hasScope, type Principal } from "./principal.ts";

/** Who administers: an operator all organizations, an admin their own. */
export type Administrator = Operator | Principal;

/**
 * Checks that a principal may call an operation of administration.
 * @throws errors.operatorsOnly, errors.scopeMissing; errors.adminsOnly for members and service accounts.
 */
export function checkAdministers(principal: Principal, { credential, scope }: Operation): void {
  if (credential !== "admin") throw errors.operatorsOnly();
  if (!hasScope(principal, scope)) throw errors.scopeMissing(scope ?? "");
  if (principal.role !== "admin") throw errors.adminsOnly("administer it");
}

/** Kinds of the objects that fields of administration name. */
const KINDS: Readonly<Record<string, readonly IdKind[]>> = {
  organization_id: ["organization"],
  user_id: ["user"],
  service_account_id: ["service_account"],
  owner_id: ["user", "organization"],
  token_id: ["token"],
  erasure_id: ["erasure"],
};

/**
 * Checks that an administrator may name the objects of a request: an operator all, an admin those of their
 * organization. The only place that decides it.
 *
 * @param fields ids of the request, by their field.
 * @throws errors.notFound, also for text that is not an id of the kind; errors.notYours
 */
export async function checkAdministered(
  db: Queryable,
  administrator: Administrator,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (administrator.kind === "operator") return;
  for (const [field, id] of Object.entries(fields)) {
    if (id === undefined) continue;
    const kinds = KINDS[field];
    if (kinds === undefined) throw new Error(`Whose '${field}' is, is not known.`);
    const [named] = kinds.flatMap((kind) => {
      const uuid = parseId(kind, id);
      return uuid === null ? [] : [{ kind, uuid }];
    });
    const noun = (named?.kind ?? kinds[0] ?? "").replaceAll("_", " ");
    const organization = named === undefined ? null : await organizationOf(db, named);
    if (organization === null) throw errors.notFound(noun, id);
    if (organization !== administrator.organizationId) throw errors.notYours(noun, id);
  }
}
