import type { routes, User } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminUsers;
const { adminUsers } = operations;

export class AdminUsers extends Resource {
  /** Creates a user without a token. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<User> {
    return this.request({ operation: adminUsers.create, body, ...options });
  }

  /** Lists users of all organizations, or of one. */
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<User> {
    return this.pages({ operation: adminUsers.list, query, ...options });
  }

  /** Sets the user's role, which takes effect with the next request. */
  update(user_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<User> {
    return this.request({ operation: adminUsers.update, params: { user_id }, body, ...options });
  }

  /** Disables a user. All the user's tokens are rejected from then on. */
  disable(user_id: string, options?: CallOptions): ApiPromise<User> {
    return this.request({ operation: adminUsers.disable, params: { user_id }, ...options });
  }

  enable(user_id: string, options?: CallOptions): ApiPromise<User> {
    return this.request({ operation: adminUsers.enable, params: { user_id }, ...options });
  }
}
