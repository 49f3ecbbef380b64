import type { MemoryVersion, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.memoryVersions;
const { memoryVersions } = operations;

export class MemoryVersions extends Resource {
  /** Lists versions without their content. */
  list(
    memory_store_id: string,
    query?: Query<Routes["list"]>,
    options?: CallOptions,
  ): PagedList<MemoryVersion> {
    const params = { memory_store_id };
    return this.pages({ operation: memoryVersions.list, params, query, ...options });
  }

  get(memory_store_id: string, memory_version_id: string, options?: CallOptions): ApiPromise<MemoryVersion> {
    const params = { memory_store_id, memory_version_id };
    return this.request({ operation: memoryVersions.get, params, ...options });
  }

  /** Removes a version's content for ever. Fails with 409 for the newest version of an existing memory. */
  redact(
    memory_store_id: string,
    memory_version_id: string,
    options?: CallOptions,
  ): ApiPromise<MemoryVersion> {
    const params = { memory_store_id, memory_version_id };
    return this.request({ operation: memoryVersions.redact, params, ...options });
  }
}
