import { type Access, type IdKind, uuidOrNil } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import { ApiError, about } from "../errors/api-error.ts";
import type { Principal } from "./principal.ts";
import { type CheckedRow, checkAccess, requireFound } from "./require-access.ts";

/**
 * Objects that a request refers to by id, checked in steps. A request with several kinds of references takes
 * each step for all kinds before the next. Missing objects are rejected first, then inaccessible ones, then
 * those in a wrong state.
 */
export interface ReferenceCheck {
  /**
   * Reads the objects.
   * @throws errors.notFound for the first that does not exist.
   */
  load(db: Queryable): Promise<void>;
  /**
   * Checks access. Call it and the steps below after `load`.
   * @throws errors.notYours for the first that the principal cannot access.
   */
  checkAccess(db: Queryable, principal: Principal): Promise<void>;
  /**
   * Checks the objects' state.
   * @throws for the first that is archived or not ready.
   */
  checkState(): void;
  /**
   * Locks the objects until the transaction ends, for references that must be valid when the request's row is
   * stored. Absent when none must be; then no transaction is needed.
   * @throws the errors of the other steps, for what has changed since.
   */
  lock?: (tx: Queryable) => Promise<void>;
}

/** An id in a request body. `param` names its field in the error for an object that does not exist. */
export interface Reference {
  id: string;
  param: string;
}

export interface ReferenceRules<Given extends Reference, Row> {
  /** Reads the rows that exist, in any order. */
  read(db: Queryable, uuids: readonly string[]): Promise<readonly Row[]>;
  /** Reads the rows as `read` does, and locks them. */
  lock?(tx: Queryable, uuids: readonly string[]): Promise<readonly Row[]>;
  checkState?(given: Given, row: Row): void;
  /** The access that the use needs. Default `read`: what is shared is there to be used. */
  needs?(given: Given): Access;
}

/** References of one kind. An id may occur several times. Without ids nothing is read. */
export class References<Given extends Reference, Row extends CheckedRow> implements ReferenceCheck {
  readonly lock?: (tx: Queryable) => Promise<void>;
  readonly #kind: IdKind;
  readonly #given: readonly Given[];
  readonly #rules: ReferenceRules<Given, Row>;
  #pairs: readonly { given: Given; row: Row }[] = [];
  #checkedFor: Principal | undefined;

  constructor(kind: IdKind, given: readonly Given[], rules: ReferenceRules<Given, Row>) {
    this.#kind = kind;
    this.#given = given;
    this.#rules = rules;
    const { lock } = rules;
    if (lock === undefined || given.length === 0) return;
    this.lock = async (tx) => {
      await this.#load((uuids) => lock(tx, uuids));
      if (this.#checkedFor !== undefined) await this.checkAccess(tx, this.#checkedFor);
      this.checkState();
    };
  }

  load(db: Queryable): Promise<void> {
    return this.#load((uuids) => this.#rules.read(db, uuids));
  }

  async checkAccess(db: Queryable, principal: Principal): Promise<void> {
    this.#checkedFor = principal;
    for (const { given, row } of this.#pairs) {
      const needs = this.#rules.needs?.(given) ?? "read";
      await checkAccess(db, { ...principal, needs }, this.#kind, given.id, row).catch(this.#rethrow);
    }
  }

  checkState(): void {
    try {
      for (const { given, row } of this.#pairs) this.#rules.checkState?.(given, row);
    } catch (error) {
      this.#rethrow(error);
    }
  }

  /** Each reference with its row, in the order of the request. Empty before `load`. */
  get pairs(): readonly { given: Given; row: Row }[] {
    return this.#pairs;
  }

  /** Each uuid once. An id that is not of the kind becomes the nil uuid, which no row has. */
  get uuids(): string[] {
    return [...new Set(this.#given.map(({ id }) => uuidOrNil(this.#kind, id)))];
  }

  /**
   * The row of the first reference.
   * @throws when the references are not loaded.
   */
  get row(): Row {
    const [first] = this.#pairs;
    if (first === undefined) throw new Error("The references are not loaded.");
    return first.row;
  }

  async #load(read: (uuids: readonly string[]) => Promise<readonly Row[]>): Promise<void> {
    if (this.#given.length === 0) return;
    try {
      const rows = new Map((await read(this.uuids)).map((row) => [row.id, row]));
      this.#pairs = this.#given.map((given) => {
        const row = rows.get(uuidOrNil(this.#kind, given.id));
        return { given, row: requireFound(this.#kind, given.id, row, given.param) };
      });
    } catch (error) {
      this.#rethrow(error);
    }
  }

  /** Throws the error, which then says about which kind of object it is. */
  #rethrow = (error: unknown): never => {
    throw error instanceof ApiError ? about(this.#kind, error) : error;
  };
}
