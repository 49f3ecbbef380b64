import type { ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Body } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.deviceTokens;
const { deviceTokens } = operations;

export class DeviceTokens extends Resource {
  /**
   * Polls once for the requested token, which is returned only once. Needs no token itself. `code` of the
   * error says what to do: continue polling for `authorization_pending`, and five seconds slower for
   * `slow_down`.
   */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<ResponseOf<Routes["create"]>> {
    return this.request({ operation: deviceTokens.create, body, ...options });
  }
}
