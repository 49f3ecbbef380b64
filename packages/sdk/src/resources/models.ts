import type { Model, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Query } from "../types.ts";

type Routes = typeof routes.models;
const { models } = operations;

export class Models {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that the installation can reach. */
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Model> {
    return listOf(this.#transport, { operation: models.list, query, ...options });
  }
}
