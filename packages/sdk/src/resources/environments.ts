import type { Environment, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.environments;
const { environments } = operations;

export class Environments extends Resource {
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Environment> {
    return this.request({ operation: environments.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Environment> {
    return this.pages({ operation: environments.list, query, ...options });
  }

  get(environment_id: string, options?: CallOptions): ApiPromise<Environment> {
    return this.request({ operation: environments.get, params: { environment_id }, ...options });
  }

  /** In a session, variables change with the next command, and the rest when its sandbox is next opened. */
  update(
    environment_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Environment> {
    return this.request({ operation: environments.update, params: { environment_id }, body, ...options });
  }

  /** Fails with 409 while a session that is not terminated uses the environment. */
  delete(environment_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: environments.delete, params: { environment_id }, ...options });
  }

  /** Cannot be undone. The environment stays readable, but cannot be changed or used for new sessions. */
  archive(environment_id: string, options?: CallOptions): ApiPromise<Environment> {
    return this.request({ operation: environments.archive, params: { environment_id }, ...options });
  }
}
