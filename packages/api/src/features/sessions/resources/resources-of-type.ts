import type { ResourceInput } from "@berth/contract";
import type { ReferenceCheck } from "@berth/store/access";
import type { NewResource } from "./resource-row.ts";

/** A resource of a request. `id` is its new uuid, `index` its position in the body. */
export interface Given<Type extends ResourceInput["type"]> {
  id: string;
  index: number;
  input: Extract<ResourceInput, { type: Type }>;
}

/** The resources of one type in a new session. */
export interface ResourcesOfType {
  /** Objects that the resources refer to, if any. */
  references?: ReferenceCheck;
  /** Returns the rows to store, after all checks. `pathOf` returns mount paths by body position. */
  rows(pathOf: (index: number) => string): NewResource[];
}
