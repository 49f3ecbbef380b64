import { nameField, type Thing, type WholeKind } from "./kinds.ts";
import type { Listing } from "./listing.ts";

/** Returns the object of this name, or undefined. Returns a sentence if there are several. */
export async function byName(
  listing: Listing,
  kind: WholeKind,
  name: string,
): Promise<Thing | undefined | string> {
  const things = await listing.all(kind);
  const [known, ...others] = things.filter((thing) => thing[nameField(kind)] === name);
  if (known === undefined || others.length === 0) return known;
  const ids = [known, ...others].map(({ id }) => id).join(", ");
  return `Several objects have this name: ${ids}.`;
}
