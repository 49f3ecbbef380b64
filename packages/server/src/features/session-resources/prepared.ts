import type { ResourceInput } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { Principal } from "../../http/principal.ts";
import type { NewResource } from "./new-resource.ts";

/**
 * Something that a new session is given by id, in the steps in which it is looked at. The steps are taken one after
 * another, each for all that the session is given before the next begins.
 */
export interface Prepared {
  /** @throws errors.notFound for the first that is not there. */
  find(db: Queryable): Promise<void>;
  /** @throws errors.notYours for the first that the principal does not reach. Called after `find`, like all below. */
  reach(principal: Principal): void;
  /** @throws for the first that is archived or not ready. */
  checkState(): void;
  /**
   * Keeps what must still be there when the session is stored, until the transaction ends. Absent: nothing must, and no
   * transaction is needed for it.
   *
   * @throws errors.notFound for what went away since it was found.
   */
  hold?(tx: Queryable): Promise<void>;
}

/** The resources of one kind. */
export interface PreparedResources extends Prepared {
  /** What is to be stored of them; `placeOf` answers the mount path by the place in the body. */
  rows(placeOf: (index: number) => string): NewResource[];
}

/** A resource as it was given: `id` is the uuid that it gets, `index` its place in the body. */
export interface Given<Kind extends ResourceInput["type"] = ResourceInput["type"]> {
  id: string;
  index: number;
  input: Extract<ResourceInput, { type: Kind }>;
}
