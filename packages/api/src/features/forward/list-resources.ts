import {
  type ForwardType,
  formatId,
  type forwardRoutes,
  type Input,
  parseId,
  type ResponseOf,
} from "@berth/contract";
import { isOwn } from "@berth/store/access";
import { fitting, type MeasuredRow, type Queryable } from "@berth/store/db";
import type { RequestScope } from "../../request/request-scope.ts";
import { listRegistrations, type RegistrationRange, type RegistrationRow } from "./forward-store.ts";
import { type FoundResource, findResources } from "./forward-types.ts";

type List = typeof forwardRoutes.list;

/** Returns a page of registrations, without those whose resource is deleted, archived or inaccessible. */
export async function listResources(
  { principal, db }: RequestScope,
  { query }: Input<List>,
): Promise<ResponseOf<List>> {
  const { type, limit } = query;
  const range = rangeOf(query);
  const rows = await listRegistrations(db.read, principal.id, type, range);
  const { travelled, found } = await findFitting(db.read, type, rows.slice(0, limit));
  const ids = range.direction === "older" ? travelled : travelled.toReversed();
  const data = ids.flatMap((id) => {
    const resource = found.get(id);
    if (resource === undefined || resource.archived || !isOwn(principal, resource.owner)) return [];
    const owner = { owner_type: "user" as const, owner_id: formatId("user", principal.id) };
    return [{ id: formatId(type, id), type, ...owner, resource_spec: resource.spec }];
  });
  const hasMore = rows.length > travelled.length;
  // When a page has no visible resource and is not the last, the ends of its range lead to the next page.
  const ends = data.length === 0 && hasMore ? ids.map((id) => ({ id: formatId(type, id) })) : data;
  return { data, has_more: hasMore, first_id: ends[0]?.id ?? null, last_id: ends.at(-1)?.id ?? null };
}

/** Number of resources read at once. Each may have a few megabytes. */
const READ_AT_ONCE = 20;

/** Reads the resources of a page in the order of travel, as many as fit. */
async function findFitting(db: Queryable, type: ForwardType, rows: readonly RegistrationRow[]) {
  const ids = rows.map((row) => row.resource_id);
  const found = new Map<string, FoundResource>();
  const sizes: MeasuredRow[] = [];
  let isFull = false;
  while (sizes.length < ids.length && !isFull) {
    const some = ids.slice(sizes.length, sizes.length + READ_AT_ONCE);
    for (const one of await findResources[type](db, some)) found.set(one.id, one);
    sizes.push(...some.map((id) => ({ bytes: JSON.stringify(found.get(id)?.spec ?? null).length })));
    isFull = fitting(sizes, ids.length).length < sizes.length;
  }
  return { travelled: ids.slice(0, fitting(sizes, ids.length).length), found };
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
