import type { ResponseOf, routes, Token } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.tokens;
const { tokens } = operations;

export class Tokens extends Resource {
  /** `token` of the response is the token itself. It is shown only once. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<ResponseOf<Routes["create"]>> {
    return this.request({ operation: tokens.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Token> {
    return this.pages({ operation: tokens.list, query, ...options });
  }

  /** The token that the client uses, and whose it is. Any valid token may ask. */
  current(options?: CallOptions): ApiPromise<ResponseOf<Routes["current"]>> {
    return this.request({ operation: tokens.current, ...options });
  }

  /** Revokes the token and those that were created with it, immediately. */
  delete(token_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: tokens.delete, params: { token_id }, ...options });
  }
}
