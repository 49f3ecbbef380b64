import type { ForwardResource, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.forward;
const { forward } = operations;

/** The registry of a user's resources. Accepts only personal access tokens. */
export class Forward extends Resource {
  /** Registers a resource. The status is 201 the first time, then 200. */
  register(
    body: Body<Routes["register"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["register"]>> {
    return this.request({ operation: forward.register, body, ...options });
  }

  /** Lists registered resources, without deleted, archived and inaccessible ones. */
  list(query: Query<Routes["list"]>, options?: CallOptions): PagedList<ForwardResource> {
    return this.pages({ operation: forward.list, query, ...options });
  }
}
