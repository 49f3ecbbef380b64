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

  /** Sessions have new variables with their next command, and the rest when their sandbox is opened next. */
  update(
    environment_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Environment> {
    return this.request({ operation: environments.update, params: { environment_id }, body, ...options });
  }

  /** Refused while a session uses it that is not terminated. */
  delete(environment_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: environments.delete, params: { environment_id }, ...options });
  }

  /** For good: the environment can be read, and neither be changed nor have new sessions. */
  archive(environment_id: string, options?: CallOptions): ApiPromise<Environment> {
    return this.request({ operation: environments.archive, params: { environment_id }, ...options });
  }
}
