import type { Berth } from "@berth/sdk";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import type { FieldChange } from "./field-changes.ts";
import type { Thing } from "./kinds.ts";
import type { Listing } from "./listing.ts";
import { setOf } from "./set-mark.ts";

/** The effect of applying a document. */
export interface Step {
  document: ObjectDocument;
  /** The object before the change. Undefined when it is created. */
  known?: Thing;
  /** Id of its parent, if that exists. */
  parentId?: string;
  changes: FieldChange[];
  /** Note about what cannot be compared. */
  note?: string;
  /** Applies the document. @param idOf Returns the id of an object of an earlier document, by its `key`. */
  carryOut(idOf: (key: string) => string): Promise<{ id: string; done: "created" | "updated" | "unchanged" }>;
}

/** Context for planning documents. */
export interface Planning {
  client: Berth;
  listing: Listing;
  /** All documents. Some describe parts of objects that others describe. */
  documents: readonly ObjectDocument[];
  /** The set to which the objects shall belong. */
  set: string | undefined;
  /** Whether to write the secrets of known credentials as well. */
  secrets: boolean;
}

/** Returns a fault if the object belongs to another set. */
export function foreignSet(
  { fault }: ObjectDocument,
  field: string,
  known: Thing | undefined,
  set: string | undefined,
): Fault[] {
  const owner = known === undefined ? undefined : setOf(known);
  if (set === undefined || owner === undefined || owner === set) return [];
  return [fault(field, `The object belongs to the set '${owner}'.`)];
}

/** Returns whether planning has failed. */
export function isFaulty<Result>(planned: Result | Fault[]): planned is Fault[] {
  return Array.isArray(planned);
}
