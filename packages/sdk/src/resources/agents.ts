import type { Agent, Answer as AnswerBody, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.agents;
const { agents } = operations;

export class Agents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): Answer<Agent> {
    return answerOf(this.#transport.json({ operation: agents.create, body, ...options }));
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Agent> {
    return listOf(this.#transport, { operation: agents.list, query, ...options });
  }

  /** The newest version, or the one that the query names. */
  get(agent_id: string, query?: Query<Routes["get"]>, options?: CallOptions): Answer<Agent> {
    return answerOf(this.#transport.json({ operation: agents.get, params: { agent_id }, query, ...options }));
  }

  /** Makes the next version; `version` is the one that the change is made to, and has to be the newest. */
  update(agent_id: string, body: Body<Routes["update"]>, options?: CallOptions): Answer<Agent> {
    return answerOf(
      this.#transport.json({ operation: agents.update, params: { agent_id }, body, ...options }),
    );
  }

  /** Refused while there is a session that was created with it. */
  delete(agent_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(this.#transport.json({ operation: agents.delete, params: { agent_id }, ...options }));
  }

  /** For good: the agent can be read, and neither be changed nor have new sessions. */
  archive(agent_id: string, options?: CallOptions): Answer<Agent> {
    return answerOf(this.#transport.json({ operation: agents.archive, params: { agent_id }, ...options }));
  }

  /** The agent as of each of its versions, newest first. */
  versions(agent_id: string, query?: Query<Routes["versions"]>, options?: CallOptions): PagedList<Agent> {
    return listOf(this.#transport, { operation: agents.versions, params: { agent_id }, query, ...options });
  }
}
