import type { Erasure, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import type { PagedList } from "../../transport/page.ts";
import type { Body, Query } from "../../transport/types.ts";
import { Resource } from "../resource.ts";

type Routes = typeof routes.adminErasures;
const { adminErasures } = operations;

export class AdminErasures extends Resource {
  /** Requests an erasure and returns at once. Running services carry it out. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Erasure> {
    return this.request({ operation: adminErasures.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Erasure> {
    return this.pages({ operation: adminErasures.list, query, ...options });
  }

  /** Returns the receipt of an erasure. */
  get(erasure_id: string, options?: CallOptions): ApiPromise<Erasure> {
    return this.request({ operation: adminErasures.get, params: { erasure_id }, ...options });
  }
}
