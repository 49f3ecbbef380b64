import type { MemoryVersion, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Query } from "../types.ts";

type Routes = typeof routes.memoryVersions;
const { memoryVersions } = operations;

export class MemoryVersions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every change of the store's memories, without their content. */
  list(
    memory_store_id: string,
    query?: Query<Routes["list"]>,
    options?: CallOptions,
  ): PagedList<MemoryVersion> {
    const params = { memory_store_id };
    return listOf(this.#transport, { operation: memoryVersions.list, params, query, ...options });
  }

  get(memory_store_id: string, memory_version_id: string, options?: CallOptions): Answer<MemoryVersion> {
    const params = { memory_store_id, memory_version_id };
    return answerOf(this.#transport.json({ operation: memoryVersions.get, params, ...options }));
  }

  /** Takes away what the version holds, for good. Refused for the newest of a memory that is there. */
  redact(memory_store_id: string, memory_version_id: string, options?: CallOptions): Answer<MemoryVersion> {
    const params = { memory_store_id, memory_version_id };
    return answerOf(this.#transport.json({ operation: memoryVersions.redact, params, ...options }));
  }
}
