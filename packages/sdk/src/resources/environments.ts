import type { Answer as AnswerBody, Environment, routes } from "@berth/contract";
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

  /** Sessions have new variables with their next command, and the rest when their sandbox is opened next. */
  update(environment_id: string, body: Body<Routes["update"]>, options?: CallOptions): Answer<Environment> {
    return answerOf(
      this.#transport.json({ operation: environments.update, params: { environment_id }, body, ...options }),
    );
  }

  /** Refused while a session uses it that is not terminated. */
  delete(environment_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(
      this.#transport.json({ operation: environments.delete, params: { environment_id }, ...options }),
    );
  }

  /** For good: the environment can be read, and neither be changed nor have new sessions. */
  archive(environment_id: string, options?: CallOptions): Answer<Environment> {
    return answerOf(
      this.#transport.json({ operation: environments.archive, params: { environment_id }, ...options }),
    );
  }
}
