import type { ResponseOf, routes, SessionResource } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.sessionResources;
const { sessionResources } = operations;

export class SessionResources extends Resource {
  /** Mounts a file in an existing session. */
  add(
    session_id: string,
    body: Body<Routes["add"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["add"]>> {
    return this.request({ operation: sessionResources.add, params: { session_id }, body, ...options });
  }

  list(session_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<SessionResource> {
    return this.pages({
      operation: sessionResources.list,
      params: { session_id },
      query,
      ...options,
    });
  }

  get(session_id: string, resource_id: string, options?: CallOptions): ApiPromise<SessionResource> {
    const params = { session_id, resource_id };
    return this.request({ operation: sessionResources.get, params, ...options });
  }

  /** Removes a file from the session and from its sandbox. */
  delete(
    session_id: string,
    resource_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["delete"]>> {
    const params = { session_id, resource_id };
    return this.request({ operation: sessionResources.delete, params, ...options });
  }

  /** Replaces a repository's token or password, which the agent's next command uses. */
  rotate(
    session_id: string,
    resource_id: string,
    body: Body<Routes["rotate"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["rotate"]>> {
    const params = { session_id, resource_id };
    return this.request({ operation: sessionResources.rotate, params, body, ...options });
  }

  /** Retries the failed clone of a repository at once. */
  retry(
    session_id: string,
    resource_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["rotate"]>> {
    return this.rotate(session_id, resource_id, { retry: true }, options);
  }
}
