import type { Retention, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { Body } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminRetention;
const { adminRetention } = operations;

export class AdminRetention extends Resource {
  get(organization_id: string, options?: CallOptions): ApiPromise<Retention> {
    return this.request({ operation: adminRetention.get, params: { organization_id }, ...options });
  }

  /** Changes the retention. Data that is too old is deleted within an hour, and cannot be recovered. */
  update(
    organization_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Retention> {
    return this.request({ operation: adminRetention.update, params: { organization_id }, body, ...options });
  }
}
