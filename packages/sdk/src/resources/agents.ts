import type { Agent, routes } from "@berth/contract";
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

  get(agent_id: string, options?: CallOptions): Answer<Agent> {
    return answerOf(this.#transport.json({ operation: agents.get, params: { agent_id }, ...options }));
  }
}
