import type { Agent, ResponseOf, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.agents;
const { agents } = operations;

export class Agents extends Resource {
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Agent> {
    return this.request({ operation: agents.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Agent> {
    return this.pages({ operation: agents.list, query, ...options });
  }

  /** Returns the newest version, or the `version` of the query. */
  get(agent_id: string, query?: Query<Routes["get"]>, options?: CallOptions): ApiPromise<Agent> {
    return this.request({ operation: agents.get, params: { agent_id }, query, ...options });
  }

  /** Creates the next version. `version` must be the newest, so that no concurrent update is lost. */
  update(agent_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<Agent> {
    return this.request({ operation: agents.update, params: { agent_id }, body, ...options });
  }

  /** Deletes an agent. Fails with 409 if a session was created with it. */
  delete(agent_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: agents.delete, params: { agent_id }, ...options });
  }

  /** Archives an agent. Cannot be undone. It stays readable, but takes no changes or new sessions. */
  archive(agent_id: string, options?: CallOptions): ApiPromise<Agent> {
    return this.request({ operation: agents.archive, params: { agent_id }, ...options });
  }

  /** Lists versions, newest first. */
  versions(agent_id: string, query?: Query<Routes["versions"]>, options?: CallOptions): PagedList<Agent> {
    return this.pages({ operation: agents.versions, params: { agent_id }, query, ...options });
  }
}
