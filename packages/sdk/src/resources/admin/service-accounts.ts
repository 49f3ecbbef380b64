import type { routes, ServiceAccount } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminServiceAccounts;
const { adminServiceAccounts } = operations;

export class AdminServiceAccounts extends Resource {
  /** Creates a service account without a token. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<ServiceAccount> {
    return this.request({ operation: adminServiceAccounts.create, body, ...options });
  }

  /** Lists service accounts of all organizations, or of one. */
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<ServiceAccount> {
    return this.pages({ operation: adminServiceAccounts.list, query, ...options });
  }

  /** Disables a service account. All its tokens are rejected from then on. */
  disable(service_account_id: string, options?: CallOptions): ApiPromise<ServiceAccount> {
    return this.request({
      operation: adminServiceAccounts.disable,
      params: { service_account_id },
      ...options,
    });
  }

  enable(service_account_id: string, options?: CallOptions): ApiPromise<ServiceAccount> {
    return this.request({
      operation: adminServiceAccounts.enable,
      params: { service_account_id },
      ...options,
    });
  }
}
