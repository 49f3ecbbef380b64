import type { Answer as AnswerBody, routes, Token } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.tokens;
const { tokens } = operations;

export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer's `token` is the secret; it is not shown again. */
  create(body: Body<Routes["create"]>, options?: CallOptions): Answer<AnswerBody<Routes["create"]>> {
    return answerOf(this.#transport.json({ operation: tokens.create, body, ...options }));
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Token> {
    return listOf(this.#transport, { operation: tokens.list, query, ...options });
  }

  /** Revokes it at once. */
  delete(token_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(this.#transport.json({ operation: tokens.delete, params: { token_id }, ...options }));
  }
}
