import type { ForgottenHost, Host, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminHosts;
const { adminHosts } = operations;

export class AdminHosts extends Resource {
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Host> {
    return this.pages({ operation: adminHosts.list, query, ...options });
  }

  /** Drains a host. What is on its disks and neither saved nor pushed is lost. */
  drain(host_id: string, options?: CallOptions): ApiPromise<Host> {
    return this.request({ operation: adminHosts.drain, params: { host_id }, ...options });
  }

  resume(host_id: string, options?: CallOptions): ApiPromise<Host> {
    return this.request({ operation: adminHosts.resume, params: { host_id }, ...options });
  }

  /** Removes a host and gives up its disks, so that its sessions continue elsewhere. */
  forget(host_id: string, body: Body<Routes["forget"]>, options?: CallOptions): ApiPromise<ForgottenHost> {
    return this.request({ operation: adminHosts.forget, params: { host_id }, body, ...options });
  }
}
