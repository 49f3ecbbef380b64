import type { Organization, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminOrganizations;
const { adminOrganizations } = operations;

export class AdminOrganizations extends Resource {
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Organization> {
    return this.request({ operation: adminOrganizations.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Organization> {
    return this.pages({ operation: adminOrganizations.list, query, ...options });
  }

  /** Renames an organization. */
  update(
    organization_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Organization> {
    return this.request({
      operation: adminOrganizations.update,
      params: { organization_id },
      body,
      ...options,
    });
  }
}
