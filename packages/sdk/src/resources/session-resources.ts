import type { Answer as AnswerBody, routes, SessionResource } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.sessionResources;
const { sessionResources } = operations;

export class SessionResources {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Mounts a file in a session that runs already. */
  add(
    session_id: string,
    body: Body<Routes["add"]>,
    options?: CallOptions,
  ): Answer<AnswerBody<Routes["add"]>> {
    return answerOf(
      this.#transport.json({ operation: sessionResources.add, params: { session_id }, body, ...options }),
    );
  }

  list(session_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<SessionResource> {
    return listOf(this.#transport, {
      operation: sessionResources.list,
      params: { session_id },
      query,
      ...options,
    });
  }

  get(session_id: string, resource_id: string, options?: CallOptions): Answer<SessionResource> {
    const params = { session_id, resource_id };
    return answerOf(this.#transport.json({ operation: sessionResources.get, params, ...options }));
  }

  /** Takes a file away from the session; it leaves the sandbox too. */
  delete(
    session_id: string,
    resource_id: string,
    options?: CallOptions,
  ): Answer<AnswerBody<Routes["delete"]>> {
    const params = { session_id, resource_id };
    return answerOf(this.#transport.json({ operation: sessionResources.delete, params, ...options }));
  }

  /** Replaces a repository's token or password; the agent's next command has the new one. */
  rotate(
    session_id: string,
    resource_id: string,
    body: Body<Routes["rotate"]>,
    options?: CallOptions,
  ): Answer<AnswerBody<Routes["rotate"]>> {
    const params = { session_id, resource_id };
    return answerOf(this.#transport.json({ operation: sessionResources.rotate, params, body, ...options }));
  }
}
