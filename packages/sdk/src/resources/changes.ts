import type { RepositoryDiff, routes, SessionChanges } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.changes;
const { changes } = operations;

/** Changes that an agent made to a session's repositories since they were cloned. */
export class Changes extends Resource {
  /** Returns branch, commits and files of each repository. Fails with 409 while there is no disk. */
  get(session_id: string, options?: CallOptions): ApiPromise<SessionChanges> {
    return this.request({ operation: changes.get, params: { session_id }, ...options });
  }

  /** Returns the unified diff of a file, or without `path` of all. `truncated` says that it was cut. */
  diff(
    session_id: string,
    resource_id: string,
    query?: Query<Routes["diff"]>,
    options?: CallOptions,
  ): ApiPromise<RepositoryDiff> {
    const params = { session_id, resource_id };
    return this.request({ operation: changes.diff, params, query, ...options });
  }
}
