import { formatId, forwardRoutes, type Input, newUuid, parseId, type ResponseOf } from "@berth/contract";
import type { Context } from "../../http/context.ts";
import { Created } from "../../http/created.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { reaches } from "../../http/principal.ts";
import { listRegistrations, type RegistrationPlace, storeRegistration } from "./forward-store.ts";
import { findResources } from "./forward-types.ts";

type List = typeof forwardRoutes.list;

/** Registers resources that exist, and lists what the caller registered. Callers are users. */
export function mountForward(app: HttpApp): void {
  mount(app, forwardRoutes.register, async ({ principal, db }, { body }) => {
    const { type, resource } = body;
    const id = parseId(type, resource.id);
    const [found] = id === null ? [] : await findResources[type](db.read, [id]);
    if (found === undefined) throw errors.notFound(type, resource.id);
    if (!reaches(principal, found.owner)) throw errors.notYours(type, resource.id);
    const registration = { id: newUuid(), resource_id: found.id };
    const answer = { id: resource.id, type };
    const isFirst = await storeRegistration(db.write, principal.id, type, registration);
    return isFirst ? new Created(answer) : answer;
  });
  mount(app, forwardRoutes.list, listResources);
}

/** A page of registrations, without those whose resource is not to be seen any more. */
async function listResources({ principal, db }: Context, { query }: Input<List>): Promise<ResponseOf<List>> {
  const { type, limit } = query;
  const place = placeOf(query);
  const rows = await listRegistrations(db.read, principal.id, type, place);
  const travelled = rows.slice(0, limit);
  const page = place.direction === "older" ? travelled : travelled.toReversed();
  const ids = page.map((row) => row.resource_id);
  const found = new Map((await findResources[type](db.read, ids)).map((one) => [one.id, one]));
  const data = ids.flatMap((id) => {
    const resource = found.get(id);
    if (resource === undefined || resource.archived || !reaches(principal, resource.owner)) return [];
    const owner = { owner_type: "user" as const, owner_id: formatId("user", principal.id) };
    return [{ id: formatId(type, id), type, ...owner, resource_spec: resource.spec }];
  });
  const hasMore = rows.length > travelled.length;
  // Where nothing of a page is shown and more follows, its own ends lead on.
  const ends = data.length === 0 && hasMore ? ids.map((id) => ({ id: formatId(type, id) })) : data;
  return { data, has_more: hasMore, first_id: ends[0]?.id ?? null, last_id: ends.at(-1)?.id ?? null };
}

function placeOf({
  type,
  limit,
  before_id: before,
  after_id: after,
}: Input<List>["query"]): RegistrationPlace {
  const rows = limit + 1;
  if (before !== undefined) return { direction: "newer", anchor: parseId(type, before), rows };
  return { direction: "older", anchor: after === undefined ? null : parseId(type, after), rows };
}
