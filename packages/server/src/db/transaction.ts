import type { ClientBase } from "pg";
import { ask, type Queryable } from "./statement.ts";

/**
 * Runs `work` between BEGIN and COMMIT on one connection (READ COMMITTED); whatever it throws rolls back and is thrown
 * on. `tx` is for use inside `work` alone.
 */
export async function inTransaction<T>(client: ClientBase, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await ask(client, { text: "begin" });
  try {
    const result = await work({ query: (statement) => ask(client, statement) });
    await ask(client, { text: "commit" });
    return result;
  } catch (error) {
    await ask(client, { text: "rollback" }).catch(() => undefined);
    throw error;
  }
}
