import { formatId, type forwardRoutes, type Input, parseId, type ResponseOf } from "@berth/contract";
import { canAccess } from "../../access/principal.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { listRegistrations, type RegistrationRange } from "./forward-store.ts";
import { findResources } from "./forward-types.ts";

type List = typeof forwardRoutes.list;

/** A page of registrations, without those whose resource is deleted, archived or no longer accessible. */
export async function listResources(
  { principal, db }: RequestScope,
  { query }: Input<List>,
): Promise<ResponseOf<List>> {
  const { type, limit } = query;
  const range = rangeOf(query);
  const rows = await listRegistrations(db.read, principal.id, type, range);
  const travelled = rows.slice(0, limit);
  const page = range.direction === "older" ? travelled : travelled.toReversed();
  const ids = page.map((row) => row.resource_id);
  const found = new Map((await findResources[type](db.read, ids)).map((one) => [one.id, one]));
  const data = ids.flatMap((id) => {
    const resource = found.get(id);
    if (resource === undefined || resource.archived || !canAccess(principal, resource.owner)) return [];
    const owner = { owner_type: "user" as const, owner_id: formatId("user", principal.id) };
    return [{ id: formatId(type, id), type, ...owner, resource_spec: resource.spec }];
  });
  const hasMore = rows.length > travelled.length;
  // A page without visible resources that is not the last one: the ends of its range lead to the next.
  const ends = data.length === 0 && hasMore ? ids.map((id) => ({ id: formatId(type, id) })) : data;
  return { data, has_more: hasMore, first_id: ends[0]?.id ?? null, last_id: ends.at(-1)?.id ?? null };
}

function rangeOf({
  type,
  limit,
  before_id: before,
  after_id: after,
}: Input<List>["query"]): RegistrationRange {
  const rows = limit + 1;
  if (before !== undefined) return { direction: "newer", anchor: parseId(type, before), rows };
  return { direction: "older", anchor: after === undefined ? null : parseId(type, after), rows };
}
