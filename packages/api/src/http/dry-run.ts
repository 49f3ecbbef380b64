import { asDatabase, type Database, type DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { RequestScope } from "../request/request-scope.ts";

const HEADER = "berth-dry-run";

/**
 * @throws errors.invalid if the request asks for a dry run that the operation does not support, since it must
 * not be carried out.
 */
export function checkDryRun(scope: Pick<RequestScope, "operation" | "header">): void {
  const given = scope.header(HEADER);
  if (given === undefined) return;
  if (given !== "true") throw errors.invalid(`The header '${HEADER}' must be 'true'.`, HEADER);
  if (scope.operation.method !== "GET" && scope.operation.dryRun !== true)
    throw errors.invalid("This operation has no dry run.", HEADER);
}

/** Returns whether the request is a dry run. */
export function isDryRun(scope: Pick<RequestScope, "operation" | "header">): boolean {
  return scope.operation.dryRun === true && scope.header(HEADER) === "true";
}

/** Runs `work` in a transaction, rolls it back, and returns the result. */
export async function rolledBack<T>(db: Database, work: (db: DatabaseAccess) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined;
  const undo = new Error("The transaction of a dry run is rolled back.");
  await db
    .transaction(async (tx) => {
      done = { result: await asDatabase(tx, work) };
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  if (done === undefined) throw new Error("A dry run ended without a result.");
  return done.result;
}
