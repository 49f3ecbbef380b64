import type { Answer as AnswerBody, ForwardResource, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.forward;
const { forward } = operations;

/** The registry of a user's resources. It takes personal access tokens alone. */
export class Forward {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Answered with 201 the first time, then with 200. */
  register(body: Body<Routes["register"]>, options?: CallOptions): Answer<AnswerBody<Routes["register"]>> {
    return answerOf(this.#transport.json({ operation: forward.register, body, ...options }));
  }

  /** What is not to be seen any more is left out of its page. */
  list(query: Query<Routes["list"]>, options?: CallOptions): PagedList<ForwardResource> {
    return listOf(this.#transport, { operation: forward.list, query, ...options });
  }
}
