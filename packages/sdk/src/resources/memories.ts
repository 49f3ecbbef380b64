import type { Answer as AnswerBody, Memory, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.memories;
const { memories } = operations;

export class Memories {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(memory_store_id: string, body: Body<Routes["create"]>, options?: CallOptions): Answer<Memory> {
    const params = { memory_store_id };
    return answerOf(this.#transport.json({ operation: memories.create, params, body, ...options }));
  }

  /** Without their content. */
  list(memory_store_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Memory> {
    const params = { memory_store_id };
    return listOf(this.#transport, { operation: memories.list, params, query, ...options });
  }

  get(memory_store_id: string, memory_id: string, options?: CallOptions): Answer<Memory> {
    const params = { memory_store_id, memory_id };
    return answerOf(this.#transport.json({ operation: memories.get, params, ...options }));
  }

  /** With a `precondition`, refused unless the content is still the one of that hash. */
  update(
    memory_store_id: string,
    memory_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): Answer<Memory> {
    const params = { memory_store_id, memory_id };
    return answerOf(this.#transport.json({ operation: memories.update, params, body, ...options }));
  }

  /** Its versions stay. With `expected_content_sha256`, refused unless the content is still the one of that hash. */
  delete(
    memory_store_id: string,
    memory_id: string,
    query?: Query<Routes["delete"]>,
    options?: CallOptions,
  ): Answer<AnswerBody<Routes["delete"]>> {
    const params = { memory_store_id, memory_id };
    return answerOf(this.#transport.json({ operation: memories.delete, params, query, ...options }));
  }
}
