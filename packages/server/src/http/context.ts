import type { Operation } from "@berth/contract";
import type { Logger } from "pino";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Cursors } from "./cursor.ts";
import type { Principal } from "./principal.ts";

/** What a handler knows of the request that it answers. */
export interface Context {
  operation: Operation;
  principal: Principal;
  /** What the request reads and changes. With an `Idempotency-Key` all of it is one transaction, in which the answer is kept. */
  db: DatabaseAccess;
  /**
   * Calls `then` when what the request changed stands, and not when it was refused: for hints to others, and for what
   * cannot be undone. The answer waits for it, and does not fail with it.
   */
  afterwards(then: (db: DatabaseAccess) => unknown): void;
  requestId: string;
  log: Logger;
  cursors: Cursors;
  /** A header of the request by its lower-case name; of one that is there several times, the first. */
  header(name: string): string | undefined;
  /** Aborts when the client goes away before it is answered. */
  signal: AbortSignal;
}
