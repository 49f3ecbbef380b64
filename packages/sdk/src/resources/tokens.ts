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
  /** Creates a token. `token` of the response is the secret, which is returned only once. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<ResponseOf<Routes["create"]>> {
    return this.request({ operation: tokens.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Token> {
    return this.pages({ operation: tokens.list, query, ...options });
  }

  /** Returns the client's token and its principal. Accepts any valid token. */
  current(options?: CallOptions): ApiPromise<ResponseOf<Routes["current"]>> {
    return this.request({ operation: tokens.current, ...options });
  }

  /** Revokes the token and its descendants, except independent ones, immediately. */
  delete(token_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: tokens.delete, params: { token_id }, ...options });
  }
}
