import type { Model, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.models;
const { models } = operations;

export class Models extends Resource {
  /** Lists the models that agents of the installation can use. */
  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Model> {
    return this.pages({ operation: models.list, query, ...options });
  }
}
