import { byName } from "./by-name.ts";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import type { Thing, WholeKind } from "./kinds.ts";
import type { Planning } from "./step.ts";

/** The object that another one is a part of. */
export interface Parent {
  /** The existing object. Undefined when a document describes it, and it is created before its parts. */
  known?: Thing;
  /** Returns its id, which is known when its document has been applied. */
  id(idOf: (key: string) => string): string;
}

/** Finds the parent that a document names in the field of the parent's kind. */
export async function parentOf(
  { fault }: ObjectDocument,
  kind: WholeKind,
  name: string,
  { listing, documents }: Planning,
): Promise<Parent | Fault[]> {
  const known = await byName(listing, kind, name);
  if (typeof known === "string") return [fault(kind, known)];
  if (known !== undefined) return { known, id: () => known.id };
  const described = documents.find((document) => document.kind === kind && document.name === name);
  if (described !== undefined) return { id: (idOf) => idOf(described.key) };
  const noun = kind.replace("_", " ");
  return [fault(kind, `There is no ${noun} of this name, and no document describes one.`)];
}
