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

  /** Updates an environment. Sessions get variables with the next command, the rest in the next sandbox. */
  update(
    environment_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Environment> {
    return this.request({ operation: environments.update, params: { environment_id }, body, ...options });
  }

  /** Deletes an environment. Fails with 409 while a session that is not terminated uses it. */
  delete(environment_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: environments.delete, params: { environment_id }, ...options });
  }

  /** Archives an environment. Cannot be undone. It stays readable, but takes no changes or new sessions. */
  archive(environment_id: string, options?: CallOptions): ApiPromise<Environment> {
    return this.request({ operation: environments.archive, params: { environment_id }, ...options });
  }
}
