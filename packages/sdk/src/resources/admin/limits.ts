import type { Limits, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { Body } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminLimits;
const { adminLimits } = operations;

export class AdminLimits extends Resource {
  /** Returns the limits of an organization or a user. */
  get(owner_id: string, options?: CallOptions): ApiPromise<Limits> {
    return this.request({ operation: adminLimits.get, params: { owner_id }, ...options });
  }

  /** Changes limits. An omitted one is kept, null restores the setting, `none` removes the limit. */
  update(owner_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<Limits> {
    return this.request({ operation: adminLimits.update, params: { owner_id }, body, ...options });
  }
}
