import type { ReadNotice } from "./read-notices.ts";

/** A session that changed, or with `read` one whose disk is read. `due`: a worker may have to run it. */
export interface Notice {
  sessionId: string;
  due: boolean;
  read?: ReadNotice;
}

/** The other processes of this service, which are told of changes at once, and not by the database. */
export interface Neighbours {
  /** Names the service in notifications of the database, which its own processes ignore. */
  readonly service: string;
  tell(notice: Notice): void;
  /** Calls `listener` for what they tell, until the returned function is called. */
  listen(listener: (notice: Notice) => void): () => void;
}
