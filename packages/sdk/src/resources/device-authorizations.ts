import type { DeviceAuthorization, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Body } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.deviceAuthorizations;
const { deviceAuthorizations } = operations;

/** Logins of devices without a token, which a user approves elsewhere. */
export class DeviceAuthorizations extends Resource {
  /** Requests a token. Needs none: the client's `token` can be null. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<ResponseOf<Routes["create"]>> {
    return this.request({ operation: deviceAuthorizations.create, body, ...options });
  }

  /** Returns the pending login with this user code. */
  lookup(body: Body<Routes["lookup"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: deviceAuthorizations.lookup, body, ...options });
  }

  /** Approves a login, so that the device gets a token of the user whose token the client uses. */
  approve(body: Body<Routes["approve"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: deviceAuthorizations.approve, body, ...options });
  }

  deny(body: Body<Routes["deny"]>, options?: CallOptions): ApiPromise<DeviceAuthorization> {
    return this.request({ operation: deviceAuthorizations.deny, body, ...options });
  }
}
