import { type BatchStatement, type BatchText, storeAll } from "./batch.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import type { Queryable } from "./statement.ts";

/**
 * The maximum number of statements of one kind that run at once. While one waits for the disk, the next is
 * processed.
 */
const UNDER_WAY = 2;

/**
 * Limits of one statement, so that one large row does not delay others and measured query plans stay valid.
 */
const MAX_ROWS = 64;
const MAX_CHARACTERS = 1_048_576;

type Waiting = {
  id: string;
  encoded: string;
  resolve(stored: unknown): void;
  reject(error: unknown): void;
};

/** Returns the `store` of a database, in which statements of the same name share batches. */
export function storeInBatches(db: Queryable): DatabaseAccess["store"] {
  const batches = new Map<string, Batches>();
  return async <Row extends { id: string }, Stored extends { id: string }>(
    statement: BatchStatement<Row, Stored>,
    row: Row,
  ) => {
    const { name, text } = statement;
    const found = batches.get(name) ?? new Batches(db, { name, text });
    batches.set(name, found);
    return (await found.store(row.id, statement.encode(row))) as Stored | null;
  };
}

/**
 * Stores rows of one kind in batches. Rows that arrive while `UNDER_WAY` statements run form the next
 * statement, so that one wait for the disk serves many. A row that arrives alone is stored at once.
 *
 * Each row has its own result: when a statement fails because of a row, its rows are stored one by one. When
 * the database is unavailable, all of them fail, as each would alone.
 */
class Batches {
  readonly #db: Queryable;
  readonly #statement: BatchText;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(db: Queryable, statement: BatchText) {
    this.#db = db;
    this.#statement = statement;
  }

  /**
   * Resolves with what the statement returned for the row, once that is durable, or with null when it did not
   * store the row.
   */
  store(id: string, encoded: string): Promise<unknown> {
    const stored = new Promise((resolve, reject) => this.#waiting.push({ id, encoded, resolve, reject }));
    if (this.#underWay < UNDER_WAY) void this.#run();
    return stored;
  }

  async #run(): Promise<void> {
    this.#underWay += 1;
    for (let rows = this.#next(); rows.length > 0; rows = this.#next()) await this.#storeTogether(rows);
    this.#underWay -= 1;
  }

  #next(): Waiting[] {
    let [count, characters] = [0, 0];
    for (const { encoded } of this.#waiting.slice(0, MAX_ROWS)) {
      characters += encoded.length;
      if (count > 0 && characters > MAX_CHARACTERS) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #storeTogether(rows: readonly Waiting[]): Promise<void> {
    try {
      const encoded = rows.map((row) => row.encoded);
      const stored = await storeAll<{ id: string }>(this.#db, this.#statement, encoded);
      const byId = new Map(stored.rows.map((row) => [row.id, row]));
      for (const row of rows) row.resolve(byId.get(row.id) ?? null);
    } catch (error) {
      if (rows.length === 1 || error instanceof DatabaseUnavailableError)
        for (const row of rows) row.reject(error);
      else for (const row of rows) await this.#storeTogether([row]);
    }
  }
}
