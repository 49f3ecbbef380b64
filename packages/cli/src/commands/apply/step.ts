import type { Berth } from "@berth/sdk";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import type { FieldChange } from "./field-changes.ts";
import type { Thing } from "./kinds.ts";
import type { Listing } from "./listing.ts";
import { setOf } from "./set-mark.ts";

/** What applying a document does. */
export interface Step {
  document: ObjectDocument;
  /** The object before. Absent: it is created. */
  known?: Thing;
  /** The id of what it is a part of, if that is there already. */
  parentId?: string;
  changes: FieldChange[];
  /** What cannot be compared. */
  note?: string;
  /** @param idOf the id of what an earlier document describes, by its `key` */
  carryOut(idOf: (key: string) => string): Promise<{ id: string; done: "created" | "updated" | "unchanged" }>;
}

/** What documents are planned with. */
export interface Planning {
  client: Berth;
  listing: Listing;
  /** All documents, of which some are parts of what others describe. */
  documents: readonly ObjectDocument[];
  /** The set that the objects are to belong to. */
  set: string | undefined;
  /** Whether secrets of known credentials are written, too. */
  secrets: boolean;
}

/** An object of another set is not taken from it. */
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

/** Whether a plan has failed. */
export function isFaulty<Result>(planned: Result | Fault[]): planned is Fault[] {
  return Array.isArray(planned);
}
