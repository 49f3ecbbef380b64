import type { routes, WorkspaceEntry } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.workspace;
const { workspace } = operations;

/** The current files in a session's sandbox, which is opened if it is closed. */
export class Workspace extends Resource {
  /** Lists a directory, by default `/data`. Fails with 409 while the session has no disk. */
  list(session_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<WorkspaceEntry> {
    return this.pages({ operation: workspace.list, params: { session_id }, query, ...options });
  }

  /**
   * Returns a file's content as a `Response`: read its `body`, `bytes()`, `text()` or `blob()`. Reading fails
   * when the file changes meanwhile.
   */
  content(session_id: string, query: Query<Routes["content"]>, options?: CallOptions): Promise<Response> {
    const call = { operation: workspace.content, params: { session_id }, query, ...options };
    return this.transport.open(call, "*/*");
  }
}
