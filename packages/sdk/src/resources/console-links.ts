import type { ConsoleLink } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import { Resource } from "./resource.ts";

const { consoleLinks } = operations;

export class ConsoleLinks extends Resource {
  /** Creates a link that signs in to the console as the token's user, once, within 60 seconds. */
  create(options?: CallOptions): ApiPromise<ConsoleLink> {
    return this.request({ operation: consoleLinks.create, ...options });
  }
}
