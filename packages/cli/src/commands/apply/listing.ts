import type { Berth } from "@berth/sdk";
import { idParams, type Kind, OPERATIONS, type PartKind, type Thing, type WholeKind } from "./kinds.ts";

/** Lists objects that are not archived: those of a kind, or the parts of an object. */
export interface Listing {
  all(kind: WholeKind): Promise<readonly Thing[]>;
  partsOf(parentId: string, kind: PartKind): Promise<readonly Thing[]>;
}

/** Creates a listing that requests each list once. */
export function listing(client: Berth): Listing {
  const listed = new Map<string, Promise<Thing[]>>();
  const read = async (kind: Kind, parents: readonly string[]) => {
    const operation = OPERATIONS[kind].list;
    const params = idParams(operation, ...parents);
    const things: Thing[] = [];
    for await (const thing of client.pages<Thing>({ operation, params, query: { limit: 100 } }))
      things.push(thing);
    return things;
  };
  const once = (kind: Kind, ...parents: readonly string[]) => {
    const key = [kind, ...parents].join(" ");
    const known = listed.get(key) ?? read(kind, parents);
    listed.set(key, known);
    return known;
  };
  return { all: (kind) => once(kind), partsOf: (parentId, kind) => once(kind, parentId) };
}
