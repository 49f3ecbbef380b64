import type { Environment, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.environments;
const { environments } = operations;

export class Environments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): Answer<Environment> {
    return answerOf(this.#transport.json({ operation: environments.create, body, ...options }));
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Environment> {
    return listOf(this.#transport, { operation: environments.list, query, ...options });
  }

  get(environment_id: string, options?: CallOptions): Answer<Environment> {
    return answerOf(
      this.#transport.json({ operation: environments.get, params: { environment_id }, ...options }),
    );
  }
}
