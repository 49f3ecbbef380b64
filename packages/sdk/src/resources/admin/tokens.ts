import type { CreatedToken, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { Body } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminTokens;
const { adminTokens } = operations;

export class AdminTokens extends Resource {
  /** Creates a token of a user or service account. `token` is the secret, returned only once. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<CreatedToken> {
    return this.request({ operation: adminTokens.create, body, ...options });
  }
}
