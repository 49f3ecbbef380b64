import type { CreatedOperatorToken, OperatorToken, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminOperatorTokens;
const { adminOperatorTokens } = operations;

export class AdminOperatorTokens extends Resource {
  /** Creates an operator token. `token` of the response is the secret, returned only once. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<CreatedOperatorToken> {
    return this.request({ operation: adminOperatorTokens.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<OperatorToken> {
    return this.pages({ operation: adminOperatorTokens.list, query, ...options });
  }

  /** Revokes an operator token and its descendants, immediately. */
  delete(operator_token_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: adminOperatorTokens.delete, params: { operator_token_id }, ...options });
  }
}
