import type { Whoami as Caller } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import { Resource } from "./resource.ts";

const { whoami } = operations;

export class Whoami extends Resource {
  /** Returns the caller, its organization and its scopes. Accepts any valid token. */
  get(options?: CallOptions): ApiPromise<Caller> {
    return this.request({ operation: whoami.get, ...options });
  }
}
