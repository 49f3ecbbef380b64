import type { DeviceAuthorization, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { Body } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminDeviceAuthorizations;
const { adminDeviceAuthorizations } = operations;

export class AdminDeviceAuthorizations extends Resource {
  lookup(body: Body<Routes["lookup"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: adminDeviceAuthorizations.lookup, body, ...options });
  }

  /** Approves a login, so that the device that shows the code gets a token of the user. */
  approve(body: Body<Routes["approve"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: adminDeviceAuthorizations.approve, body, ...options });
  }

  deny(body: Body<Routes["deny"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: adminDeviceAuthorizations.deny, body, ...options });
  }
}
