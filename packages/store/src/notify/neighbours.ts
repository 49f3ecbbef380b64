import type { ReadNotice } from "./read-notices.ts";

/**
 * A session that changed, or with `read` one whose disk is read. `due` means that a worker may have to run
 * it.
 */
export interface Notice {
  sessionId: string;
  due: boolean;
  read?: ReadNotice;
}

/** The other processes of this service, which learn of changes at once instead of through the database. */
export interface Neighbours {
  /** Name of the service in notifications of the database, which its own processes ignore. */
  readonly service: string;
  tell(notice: Notice): void;
  /** Calls `listener` for each notice from the other processes, until the returned function is called. */
  listen(listener: (notice: Notice) => void): () => void;
}
