import type { Berth } from "@berth/sdk";
import { type Kind, OPERATIONS, type Thing } from "./kinds.ts";

/** The objects of a kind that are not archived. */
export type ThingsOf = (kind: Kind) => Promise<readonly Thing[]>;

/** Lists the objects of a kind once. */
export function listing(client: Berth): ThingsOf {
  const listed = new Map<Kind, Promise<Thing[]>>();
  const list = async (kind: Kind) => {
    const things: Thing[] = [];
    const pages = client.pages<Thing>({ operation: OPERATIONS[kind].list, query: { limit: 100 } });
    for await (const thing of pages) things.push(thing);
    return things;
  };
  return (kind) => {
    const known = listed.get(kind) ?? list(kind);
    listed.set(kind, known);
    return known;
  };
}
