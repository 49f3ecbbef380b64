import type { MemoryStore, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Transport } from "../transport/transport.ts";
import type { Body, Query } from "../transport/types.ts";
import { Memories } from "./memories.ts";
import { MemoryVersions } from "./memory-versions.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.memoryStores;
const { memoryStores } = operations;

export class MemoryStores extends Resource {
  readonly memories: Memories;
  readonly versions: MemoryVersions;

  constructor(transport: Transport) {
    super(transport);
    this.memories = new Memories(transport);
    this.versions = new MemoryVersions(transport);
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<MemoryStore> {
    return this.request({ operation: memoryStores.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<MemoryStore> {
    return this.pages({ operation: memoryStores.list, query, ...options });
  }

  get(memory_store_id: string, options?: CallOptions): ApiPromise<MemoryStore> {
    return this.request({ operation: memoryStores.get, params: { memory_store_id }, ...options });
  }

  /** Updates a store. Sessions keep the name and description that it had when they were created. */
  update(
    memory_store_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<MemoryStore> {
    return this.request({ operation: memoryStores.update, params: { memory_store_id }, body, ...options });
  }

  /**
   * Deletes a store with its memories and versions. Fails with 409 while a session that is neither terminated
   * nor archived mounts it.
   */
  delete(memory_store_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: memoryStores.delete, params: { memory_store_id }, ...options });
  }

  /** Archives a store. Cannot be undone. The store and its memories stay readable, but cannot be changed. */
  archive(memory_store_id: string, options?: CallOptions): ApiPromise<MemoryStore> {
    return this.request({ operation: memoryStores.archive, params: { memory_store_id }, ...options });
  }
}
