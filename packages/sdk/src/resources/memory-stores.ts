import type { Answer as AnswerBody, MemoryStore, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";
import { Memories } from "./memories.ts";
import { MemoryVersions } from "./memory-versions.ts";

type Routes = typeof routes.memoryStores;
const { memoryStores } = operations;

export class MemoryStores {
  readonly memories: Memories;
  readonly versions: MemoryVersions;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.memories = new Memories(transport);
    this.versions = new MemoryVersions(transport);
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): Answer<MemoryStore> {
    return answerOf(this.#transport.json({ operation: memoryStores.create, body, ...options }));
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<MemoryStore> {
    return listOf(this.#transport, { operation: memoryStores.list, query, ...options });
  }

  get(memory_store_id: string, options?: CallOptions): Answer<MemoryStore> {
    return answerOf(
      this.#transport.json({ operation: memoryStores.get, params: { memory_store_id }, ...options }),
    );
  }

  /** Sessions keep the name and the description that the store had when they were created. */
  update(memory_store_id: string, body: Body<Routes["update"]>, options?: CallOptions): Answer<MemoryStore> {
    return answerOf(
      this.#transport.json({ operation: memoryStores.update, params: { memory_store_id }, body, ...options }),
    );
  }

  /** Deletes the store with all memories and versions. Refused while a session mounts it that goes on. */
  delete(memory_store_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(
      this.#transport.json({ operation: memoryStores.delete, params: { memory_store_id }, ...options }),
    );
  }

  /** For good: the store can be read, and nothing in it be changed. */
  archive(memory_store_id: string, options?: CallOptions): Answer<MemoryStore> {
    return answerOf(
      this.#transport.json({ operation: memoryStores.archive, params: { memory_store_id }, ...options }),
    );
  }
}
