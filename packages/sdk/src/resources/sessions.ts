import type { ResponseOf, routes, Session } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Transport } from "../transport/transport.ts";
import type { Body, Query } from "../transport/types.ts";
import { Changes } from "./changes.ts";
import { Events } from "./events.ts";
import { Resource } from "./resource.ts";
import { SessionResources } from "./session-resources.ts";
import { Workspace } from "./workspace.ts";

type Routes = typeof routes.sessions;
const { sessions } = operations;

export class Sessions extends Resource {
  readonly events: Events;
  readonly resources: SessionResources;
  readonly workspace: Workspace;
  readonly changes: Changes;

  constructor(transport: Transport) {
    super(transport);
    this.events = new Events(transport);
    this.resources = new SessionResources(transport);
    this.workspace = new Workspace(transport);
    this.changes = new Changes(transport);
  }

  /** Creates a session and returns at once. Repositories are cloned in the background. */
  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Session> {
    return this.pages({ operation: sessions.list, query, ...options });
  }

  get(session_id: string, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.get, params: { session_id }, ...options });
  }

  /** Updates a session. Omitted fields keep their value; null removes a pair of the metadata. */
  update(session_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.update, params: { session_id }, body, ...options });
  }

  /** Deletes a session and its disk, but not its files. Fails with 409 while the session is running. */
  delete(session_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: sessions.delete, params: { session_id }, ...options });
  }

  /** Ends the running turn. The session can be continued. */
  cancel(session_id: string, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.cancel, params: { session_id }, ...options });
  }

  /** Makes the session read-only. */
  archive(session_id: string, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.archive, params: { session_id }, ...options });
  }

  /** Lets turns of a session that was set aside run again. Does nothing for one that was not. */
  release(session_id: string, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.release, params: { session_id }, ...options });
  }

  /** Terminates the session and its sandbox for ever. */
  terminate(session_id: string, options?: CallOptions): ApiPromise<Session> {
    return this.request({ operation: sessions.terminate, params: { session_id }, ...options });
  }
}
