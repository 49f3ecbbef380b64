import type { Memory, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.memories;
const { memories } = operations;

export class Memories extends Resource {
  create(memory_store_id: string, body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Memory> {
    const params = { memory_store_id };
    return this.request({ operation: memories.create, params, body, ...options });
  }

  /** Lists memories without their content. */
  list(memory_store_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Memory> {
    const params = { memory_store_id };
    return this.pages({ operation: memories.list, params, query, ...options });
  }

  get(memory_store_id: string, memory_id: string, options?: CallOptions): ApiPromise<Memory> {
    const params = { memory_store_id, memory_id };
    return this.request({ operation: memories.get, params, ...options });
  }

  /** Updates a memory. With a `precondition`, fails with 409 unless the content has that hash. */
  update(
    memory_store_id: string,
    memory_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<Memory> {
    const params = { memory_store_id, memory_id };
    return this.request({ operation: memories.update, params, body, ...options });
  }

  /** Deletes a memory, not its versions. With `expected_content_sha256`, fails with 409 on another hash. */
  delete(
    memory_store_id: string,
    memory_id: string,
    query?: Query<Routes["delete"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["delete"]>> {
    const params = { memory_store_id, memory_id };
    return this.request({ operation: memories.delete, params, query, ...options });
  }
}
