import type { ResourceInput } from "@berth/contract";
import type { ReferenceCheck } from "@berth/store/access";
import type { NewResource } from "./resource-row.ts";

/** A resource of a request: `id` is its new uuid, `index` its position in the body. */
export interface Given<Type extends ResourceInput["type"]> {
  id: string;
  index: number;
  input: Extract<ResourceInput, { type: Type }>;
}

/** The resources of a new session that have one type. */
export interface ResourcesOfType {
  /** The objects that they refer to, if any. */
  references?: ReferenceCheck;
  /** The rows to store, after all checks. `pathOf` returns the mount path by the position in the body. */
  rows(pathOf: (index: number) => string): NewResource[];
}
