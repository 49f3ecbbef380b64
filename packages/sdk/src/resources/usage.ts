import type { routes, UsageReport } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.usage;
const { usage } = operations;

export class Usage extends Resource {
  /**
   * Returns the usage of the sessions that the token can access, in up to 366 days (UTC). Default: by day,
   * for the last 30 days.
   */
  get(query?: Query<Routes["get"]>, options?: CallOptions): ApiPromise<UsageReport> {
    return this.request({ operation: usage.get, query, ...options });
  }
}
