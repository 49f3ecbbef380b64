import type { Principals as Names, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

const { principals } = operations;

export class Principals extends Resource {
  /** Returns names of the organization's users and service accounts, by id. Accepts any valid token. */
  get(query: Query<typeof routes.principals.get>, options?: CallOptions): ApiPromise<Names> {
    return this.request({ operation: principals.get, query, ...options });
  }
}
