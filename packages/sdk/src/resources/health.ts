import type { Health as InstallationHealth } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import { Resource } from "./resource.ts";

const { health } = operations;

export class Health extends Resource {
  /** Returns the state of the installation: failed checks, its hosts, sessions and disks. Only for admins. */
  get(options?: CallOptions): ApiPromise<InstallationHealth> {
    return this.request({ operation: health.get, ...options });
  }
}
